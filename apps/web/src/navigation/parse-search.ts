/**
 * Parses the query of an address into strings. The router's own parser turns `true`, `2026` and `"x"` into a boolean, a
 * number and x, which would lose a search for "true". The first value of a repeated name counts.
 */
export function parseSearch(query: string): Record<string, string> {
  const texts = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(query)) if (!texts.has(name)) texts.set(name, value);
  return Object.fromEntries(texts);
}
