/** What differs at providers whose servers come with Souk. This list is ours: no metadata can add to it. */
type Provider = {
  /** Other origins at which the issuer has endpoints. */
  origins: readonly string[];
  /** Origins of MCP servers on another site, at which people sign in with this issuer. */
  servers?: readonly string[];
  /** What its metadata calls the issuer besides the address at which it is found. */
  issuers?: readonly string[];
  /** What the authorization request says so that there is a refresh token. */
  forRefresh?: Readonly<Record<string, string>>;
};

const providers: Readonly<Record<string, Provider>> = {
  'https://github.com': { origins: [], servers: ['https://api.githubcopilot.com'] },
  'https://accounts.google.com': {
    origins: ['https://oauth2.googleapis.com', 'https://www.googleapis.com'],
    servers: ['https://gmailmcp.googleapis.com', 'https://drivemcp.googleapis.com'],
    // Google knows no scope offline_access
    forRefresh: { access_type: 'offline', prompt: 'consent' },
  },
  // its servers name mcp.slack.com, whose metadata has named slack.com and itself
  'https://mcp.slack.com': { origins: ['https://slack.com'], issuers: ['https://slack.com'] },
};

const providerOf = (address: string): Provider | undefined => {
  const origin = URL.parse(address)?.origin;
  return origin === undefined ? undefined : providers[origin];
};

/** The origins at which an issuer may have endpoints. */
export function originsOf(issuer: string): ReadonlySet<string> {
  return new Set([new URL(issuer).origin, ...(providerOf(issuer)?.origins ?? [])]);
}

/** Whether a server on another site is known to have its people sign in with this issuer. */
export function isKnownPair(server: string, issuer: string): boolean {
  return providerOf(issuer)?.servers?.includes(new URL(server).origin) ?? false;
}

/**
 * Whether metadata that was found at an issuer's address is that issuer's: of the same origin and path (RFC 8414 section 3.3). One
 * slash at the end makes no difference: servers and their authorization servers often disagree about it, and nobody else can
 * answer at that address.
 */
export function isIssuer(named: string, issuer: string): boolean {
  const place = placeOf(issuer);
  if (named === issuer || (place !== undefined && placeOf(named) === place)) return true;
  const isOrigin = place === URL.parse(issuer)?.origin;
  return isOrigin && (providerOf(issuer)?.issuers?.includes(named) ?? false);
}

/** Origin and path without a last slash; undefined for an address that has more. */
function placeOf(issuer: string): string | undefined {
  const url = URL.parse(issuer);
  if (!url || /[?#]/.test(issuer) || url.username !== '' || url.password !== '') return undefined;
  return `${url.origin}${url.pathname.replace(/\/$/, '')}`;
}

/** Whether two names are of one issuer, whichever of them was written first. */
export function isSameIssuer(one: string, other: string): boolean {
  return isIssuer(one, other) || isIssuer(other, one);
}

/** Parameters of the authorization request that this issuer wants beyond the standard's. */
export function refreshParameters(authorizationEndpoint: string): Readonly<Record<string, string>> {
  return providerOf(authorizationEndpoint)?.forRefresh ?? {};
}
