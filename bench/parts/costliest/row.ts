export type Ask = {
  path: string;
  /** Role of the caller whose token is sent; visitor: none. */
  as?: 'person' | 'admin' | 'visitor';
  json?: unknown;
  form?: Record<string, string>;
  headers?: Record<string, string>;
  body?: string;
};

/** By default, the path is the route's with its parameters filled in, and the token the one that the contract requires. */
export type Request = Partial<Ask> & { query?: Record<string, string | number> };

export type Shop = {
  publicUrl: string;
  personId: string;
  personalToken: string;
  clientId: string;
  /** Users, one per round, for requests that end an account. */
  users: readonly string[];
};

/** `what`: short reason why this request is the most expensive. `ask` creates a request for each round. */
export type Row = Request & { what?: string; ask?: (shop: Shop, round: number) => Request };

export const serverId = 'server-4';
/** A manifest of almost the largest allowed size. */
export function largeManifest(id: string, version: string): string {
  const toolCosts = Object.fromEntries(Array.from({ length: 950 }, (_, n) => [`${'t'.repeat(230)}_${n}`, n]));
  return JSON.stringify({
    id,
    name: 'Dear',
    serviceType: 'mcp',
    version,
    description: 'A manifest of 240 KB.',
    connection: { type: 'http', url: 'http://127.0.0.1:9/mcp' },
    billing: { tier: 'T0', toolCosts },
  });
}
