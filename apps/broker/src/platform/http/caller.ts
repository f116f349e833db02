/** Who sends a request. Made from the verified token only, never from a path, a body or another header. */
export type Caller = {
  userId: string;
  role: 'user' | 'admin';
  /** web: our own web app's token; client: an MCP client's; personal: a personal access token. */
  kind: 'web' | 'client' | 'personal';
  /** OAuth client id; `personal` for a personal access token. */
  clientId: string;
  /** Grant id (web, client) or personal token id: revocations name it, and legacy MCP sessions are bound to it. */
  tokenId: string;
  scopes: readonly string[];
  /** Epoch milliseconds. */
  expiresAtMs: number;
  /** web: when the person signed in, in epoch milliseconds; a renewal of the token does not change it. */
  signedInAtMs?: number;
};
