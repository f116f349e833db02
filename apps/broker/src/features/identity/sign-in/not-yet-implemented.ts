/** Providers that the specification names and that do not work yet (part 1, section 5), by their ids in addresses. */
export const missingProviders: ReadonlyMap<string, string> = new Map([
  ['github', 'GitHub'],
  ['facebook', 'Facebook'],
  ['apple', 'Apple'],
]);

export const emailWay = 'E-mail and password';

/** Values of the sign-in form for ways to sign in that do not work yet. */
export const missingWays: ReadonlyMap<string, string> = new Map([...missingProviders, ['email', emailWay]]);

/** Says that a way to sign in is not implemented (part 1, section 8; the wording is ours). */
export function notYetImplemented(way: string, action = 'sign-in'): string {
  return `${way} ${action} is not yet implemented`;
}
