/**
 * Backgrounds with a contrast of at least 4.5:1 to white. The icons of the bundled services (catalogue/icons) share
 * them.
 */
const hues = ['#a8483f', '#8a6116', '#5f7024', '#2f7550', '#1f7280', '#3563ad', '#6c4fae', '#9a4484'] as const;

/** Returns one of eight hues, always the same one for an id. */
export function hueOf(id: string): string {
  let sum = 7;
  for (const character of id.slice(0, 100)) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 65_521;
  return hues[sum % hues.length] ?? hues[0];
}
