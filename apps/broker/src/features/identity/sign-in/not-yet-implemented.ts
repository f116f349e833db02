/** Ways to sign in that are not implemented, and their answer (spec part 1, section 8; the wording is ours). */
export const emailSignIn = 'E-mail and password sign-in';
export const emailSignUp = 'E-mail and password sign-up';

export function notYetImplemented(way: string): string {
  return `${way} is not yet implemented`;
}
