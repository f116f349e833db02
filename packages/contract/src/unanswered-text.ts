/**
 * Describes a deployed version whose server did not respond correctly.
 * @param failure the reason: a sentence, or the words of an error
 */
export function unansweredText(failure: string): string {
  const reason = failure.trimEnd();
  return `It is live, but ${clauseOf(reason)}${/[.!?…]$/.test(reason) ? '' : '.'}`;
}

function clauseOf(reason: string): string {
  if (reason.startsWith('The server ')) return `t${reason.slice(1)}`;
  // the server did respond; a text about connecting would make the operator look for a network fault
  if (/^HTTP \d{3}/.test(reason)) return `the server answered with an error: ${reason}`;
  return `connecting to the server failed: ${reason}`;
}
