/** What differs at providers whose servers come with Souk. This list is ours: no metadata can add to it. */
type Provider = {
  /** Other origins at which the issuer has endpoints. */
  origins: readonly string[];
  /** What its metadata calls the issuer besides the address at which it is found. */
  issuers?: readonly string[];
  /** What the authorization request says so that there is a refresh token. */
  forRefresh?: Readonly<Record<string, string>>;
};

const providers: Readonly<Record<string, Provider>> = {
  'https://accounts.google.com': {
    origins: ['https://oauth2.googleapis.com', 'https://www.googleapis.com'],
    // Google knows no scope offline_access
    forRefresh: { access_type: 'offline', prompt: 'consent' },
  },
  // its servers name mcp.slack.com, whose metadata has named slack.com and itself
  'https://mcp.slack.com': { origins: ['https://slack.com'], issuers: ['https://slack.com'] },
};

/** The origins at which an issuer may have endpoints. */
export function originsOf(issuer: string): ReadonlySet<string> {
  const { origin } = new URL(issuer);
  return new Set([origin, ...(providers[origin]?.origins ?? [])]);
}

/**
 * Whether metadata that was found at an issuer's address is that issuer's: identical (RFC 8414 section 3.3), but for the
 * slash after an origin, which Google's servers write and its metadata does not.
 */
export function isIssuer(named: string, issuer: string): boolean {
  if (named === issuer) return true;
  const { origin } = new URL(issuer);
  const isOrigin = (text: string) => text === origin || text === `${origin}/`;
  if (!isOrigin(issuer)) return false;
  return isOrigin(named) || (providers[origin]?.issuers?.includes(named) ?? false);
}

/** Whether two names are of one issuer, whichever of them was written first. */
export function isSameIssuer(one: string, other: string): boolean {
  return isIssuer(one, other) || isIssuer(other, one);
}

/** Parameters of the authorization request that this issuer wants beyond the standard's. */
export function refreshParameters(authorizationEndpoint: string): Readonly<Record<string, string>> {
  return providers[new URL(authorizationEndpoint).origin]?.forRefresh ?? {};
}
