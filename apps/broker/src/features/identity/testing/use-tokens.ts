export type UseTokens = {
  /** Returns the status of a request to an MCP endpoint with an access token; '' sends none. */
  call(token: string, path?: string): Promise<number>;
  postToken(fields: Record<string, string>): Promise<Response>;
  refresh(client: { clientId: string; refreshToken: string }, more?: Record<string, string>): Promise<Response>;
};

/**
 * Returns the calls of a client with its tokens. `publicUrl` is read at each call: the tests start their broker later.
 */
export function useTokens(publicUrl: () => string): UseTokens {
  const postToken = (fields: Record<string, string>) =>
    fetch(`${publicUrl()}/oauth/token`, { method: 'POST', body: new URLSearchParams(fields) });
  return {
    async call(token, path = '/mcp') {
      const headers = token === '' ? {} : { authorization: `Bearer ${token}` };
      return (await fetch(publicUrl() + path, { method: 'POST', headers })).status;
    },
    postToken,
    refresh: ({ clientId, refreshToken }, more = {}) =>
      postToken({ grant_type: 'refresh_token', client_id: clientId, refresh_token: refreshToken, ...more }),
  };
}
