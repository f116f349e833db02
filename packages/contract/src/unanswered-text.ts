/**
 * What is said of a version that was deployed and whose server did not answer as it should.
 * @param failure why, as the broker says it: a sentence, or the words of an error
 */
export function unansweredText(failure: string): string {
  const reason = failure.trimEnd();
  // it did answer, and an operator who is told otherwise looks at the network
  const what = /^HTTP \d{3}/.test(reason) ? 'the server answered with an error' : 'connecting to the server failed';
  return `It is live, but ${what}: ${reason}${/[.!?…]$/.test(reason) ? '' : '.'}`;
}
