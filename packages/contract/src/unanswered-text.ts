/**
 * What is said of a version that was deployed and whose server did not answer as it should.
 * @param failure why, as the broker says it: a sentence, or the words of an error
 */
export function unansweredText(failure: string): string {
  const reason = failure.trimEnd();
  return `It is live, but ${clauseOf(reason)}${/[.!?…]$/.test(reason) ? '' : '.'}`;
}

function clauseOf(reason: string): string {
  if (reason.startsWith('The server ')) return `t${reason.slice(1)}`;
  // it did answer, and an operator who is told otherwise looks at the network
  if (/^HTTP \d{3}/.test(reason)) return `the server answered with an error: ${reason}`;
  return `connecting to the server failed: ${reason}`;
}
