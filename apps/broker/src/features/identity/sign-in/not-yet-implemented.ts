/** Ways in by name, and the answer that those get which nobody wired (spec part 1, section 8; the wording is ours). */
export const emailSignIn = 'E-mail and password sign-in';
export const emailSignUp = 'E-mail and password sign-up';

export function notYetImplemented(way: string): string {
  return `${way} is not yet implemented`;
}
