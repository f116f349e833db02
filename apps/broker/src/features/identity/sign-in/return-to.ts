/** Pages of the web app that a sign-in may return to (design: registered callbacks on our own origin only). */
const callbackPaths: ReadonlySet<string> = new Set(['/auth/callback', '/auth/success']);

/**
 * The address that a sign-in may return to, or undefined. Exactly a callback of ours: `//evil`, `/\evil`, other origins,
 * other paths, queries and control characters are refused.
 */
export function readReturnTo(value: unknown, publicUrl: string): string | undefined {
  if (typeof value !== 'string') return undefined;
  for (const path of callbackPaths) {
    if (value === path || value === publicUrl + path) return publicUrl + path;
  }
  return undefined;
}
