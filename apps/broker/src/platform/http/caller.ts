/** The sender of a request, known from the verified token only, never from a path, a body or another header. */
export type Caller = {
  userId: string;
  role: 'user' | 'admin';
  /** web: our own web app's token; client: an MCP client's; personal: a personal access token. */
  kind: 'web' | 'client' | 'personal';
  /** OAuth client id; `personal` for a personal access token. */
  clientId: string;
  /** Grant id (web, client) or personal token id, which revocations name and legacy MCP sessions are bound to. */
  tokenId: string;
  scopes: readonly string[];
  /** Epoch milliseconds. */
  expiresAtMs: number;
  /** web: when the user signed in, in epoch milliseconds. Renewing the token does not change it. */
  signedInAtMs?: number;
};
