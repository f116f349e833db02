/**
 * What is said of a version that was deployed and whose server did not answer.
 * @param failure why, as the broker says it: a sentence, or the words of an error
 */
export function unansweredText(failure: string): string {
  const reason = failure.trimEnd();
  return `It is live, but the server did not answer: ${reason}${/[.!?…]$/.test(reason) ? '' : '.'}`;
}
