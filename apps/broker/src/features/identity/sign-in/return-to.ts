/** Pages of the web app that a sign-in may return to (design: registered callbacks on our own origin only). */
const callbackPaths: ReadonlySet<string> = new Set(['/auth/callback', '/auth/success']);

/**
 * Returns the address, if a sign-in may return to it: exactly one of our callbacks. `//evil`, `/\evil`, other origins,
 * other paths, queries and control characters are refused.
 */
export function readReturnTo(value: unknown, publicUrl: string): string | undefined {
  if (typeof value !== 'string') return undefined;
  for (const path of callbackPaths) {
    if (value === path || value === publicUrl + path) return publicUrl + path;
  }
  return undefined;
}

/**
 * Returns the address, if it is an authorization request that an MCP client's sign-in may continue with: our own
 * /oauth/authorize with a query, which then asks for consent like any other.
 */
export function readAuthorizeAddress(value: unknown, publicUrl: string): string | undefined {
  if (typeof value !== 'string' || /[\p{Cc}\s\\#]/u.test(value)) return undefined;
  const path = value.startsWith(`${publicUrl}/`) ? value.slice(publicUrl.length) : value;
  return path.startsWith('/oauth/authorize?') ? publicUrl + path : undefined;
}
