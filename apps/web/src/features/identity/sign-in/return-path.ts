const fallbackPath = '/dashboard';

/**
 * Returns where a finished sign-in leads: the stored path if it is a page of this site, else the dashboard. `/` counts
 * as none: users who sign in on the home page want to continue (clarifications, Sign-in). Refused: absolute addresses,
 * `//` and `/\` (other hosts to a browser), control characters (browsers drop them), and the callbacks themselves (they
 * would sign in again, and fail).
 */
export function chooseReturnPath(stored: string | null, origin: string): string {
  if (stored === null || !/^\/(?![/\\])/.test(stored) || /\p{Cc}/u.test(stored)) return fallbackPath;
  if (!URL.canParse(stored, origin)) return fallbackPath;
  const url = new URL(stored, origin);
  // checked again after dot segments are resolved: `/.//host` becomes `//host`
  if (url.origin !== origin || url.pathname.startsWith('//') || url.pathname.startsWith('/auth/')) return fallbackPath;
  if (url.pathname === '/') return fallbackPath;
  return url.pathname + url.search + url.hash;
}
