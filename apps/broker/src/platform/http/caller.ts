/** Who a request speaks for. Made from a verified token alone, never from a path, a body or a header besides Authorization. */
export type Caller = {
  userId: string;
  role: 'user' | 'admin';
  /** web: our own web app's token; client: an MCP client's; personal: a personal access token. */
  kind: 'web' | 'client' | 'personal';
  /** OAuth client id; `personal` for a personal access token. */
  clientId: string;
  /** Grant id (web, client) or personal token id: what a revocation names, and what a legacy MCP session is bound to. */
  tokenId: string;
  scopes: readonly string[];
  /** Epoch milliseconds. */
  expiresAtMs: number;
};
