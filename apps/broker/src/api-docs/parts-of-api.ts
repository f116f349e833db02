/** Sections of the API's page in order, with the prefixes of their paths. */
const parts: readonly (readonly [title: string, starts: readonly string[]])[] = [
  ['The link and the catalog', ['/mcp', '/s/', '/api/catalogue']],
  ['Sign-in and tokens', ['/auth', '/v2/user']],
  ['Users', ['/api/users', '/api/tool-runs']],
  ['Billing', ['/api/billing', '/v2/billing-history']],
  ['The registry', ['/v0.1']],
  ['Administration', ['/admin']],
];
const rest = 'Everything else';

export const partTitles: readonly string[] = [...parts.map(([title]) => title), rest];

export function partOf(path: string): string {
  return parts.find(([, starts]) => starts.some((start) => path.startsWith(start)))?.[0] ?? rest;
}
