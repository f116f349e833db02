/**
 * An e-mail address in the one form in which addresses are compared: A to Z in lower case, and every other letter as it is.
 * Unicode has letters whose lower case is an ASCII letter, such as the Kelvin sign: `\u212Aate@…` is another person than `kate@…`.
 */
export function foldEmail(email: string): string {
  return email.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}
