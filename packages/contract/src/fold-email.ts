/**
 * Normalizes an e-mail address for comparison: A to Z in lower case, every other letter unchanged.
 * Some Unicode letters have an ASCII letter as lower case, such as the Kelvin sign: `\u212Aate@…` is not `kate@…`.
 */
export function foldEmail(email: string): string {
  return email.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}
