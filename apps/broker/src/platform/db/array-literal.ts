// oxlint-disable-next-line no-control-regex -- NUL is what is looked for
const special = /["\\\0]/;

/**
 * Writes an array as text for PostgreSQL (section 8.15.2): every element quoted, undefined as NULL. The drivers can do this
 * too, at three times the cost, which matters because every call leaves a row.
 * Removes NUL, which PostgreSQL's text cannot contain: otherwise one such name would block the rows of all users.
 */
export function arrayLiteral(elements: readonly (string | number | undefined)[]): string {
  let text = '';
  for (const element of elements) text += `${text === '' ? '' : ','}${literalOf(element)}`;
  return `{${text}}`;
}

function literalOf(element: string | number | undefined): string {
  if (element === undefined) return 'NULL';
  if (typeof element === 'number') return String(element);
  return `"${special.test(element) ? element.replaceAll('\0', '').replace(/["\\]/g, String.raw`\$&`) : element}"`;
}
