/** Parts of the API's pages, in their order, with how the addresses of their calls begin. */
const parts: readonly (readonly [title: string, starts: readonly string[]])[] = [
  ['The link and the catalog', ['/mcp', '/s/', '/api/catalogue']],
  ['Sign-in and tokens', ['/auth', '/v2/user']],
  ['People', ['/api/users', '/api/tool-runs']],
  ['Billing', ['/api/billing', '/v2/billing-history']],
  ['The registry', ['/v0.1']],
  ['Administration', ['/admin']],
];
const rest = 'Everything else';

/** The titles of the parts, in their order. */
export const partTitles: readonly string[] = [...parts.map(([title]) => title), rest];

/** The part that has the calls of an address. */
export function partOf(path: string): string {
  return parts.find(([, starts]) => starts.some((start) => path.startsWith(start)))?.[0] ?? rest;
}
