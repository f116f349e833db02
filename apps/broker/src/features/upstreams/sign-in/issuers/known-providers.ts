/** Exceptions for providers whose servers come with Souk. Metadata cannot add to this list. */
type Provider = {
  /** Additional origins at which the issuer has endpoints. */
  origins: readonly string[];
  /** Origins of MCP servers on another site whose users sign in with this issuer. */
  servers?: readonly string[];
  /** Names of the issuer in its metadata, besides the address at which it is found. */
  issuers?: readonly string[];
  /** Parameters of the authorization request that obtain a refresh token. */
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

/** Returns the origins at which an issuer may have endpoints. */
export function originsOf(issuer: string): ReadonlySet<string> {
  return new Set([new URL(issuer).origin, ...(providerOf(issuer)?.origins ?? [])]);
}

/** Returns whether users of a server on another site are known to sign in with this issuer. */
export function isKnownPair(server: string, issuer: string): boolean {
  return providerOf(issuer)?.servers?.includes(new URL(server).origin) ?? false;
}

/**
 * Returns whether metadata found at an issuer's address names that issuer: the same origin and path (RFC 8414 section 3.3).
 * A trailing slash makes no difference: servers and their authorization servers often disagree about it, and both addresses
 * belong to the same party.
 */
export function isIssuer(named: string, issuer: string): boolean {
  const place = placeOf(issuer);
  if (named === issuer || (place !== undefined && placeOf(named) === place)) return true;
  const isOrigin = place === URL.parse(issuer)?.origin;
  return isOrigin && (providerOf(issuer)?.issuers?.includes(named) ?? false);
}

/** Returns origin and path without a trailing slash; undefined for an address with more parts. */
function placeOf(issuer: string): string | undefined {
  const url = URL.parse(issuer);
  if (!url || /[?#]/.test(issuer) || url.username !== '' || url.password !== '') return undefined;
  return `${url.origin}${url.pathname.replace(/\/$/, '')}`;
}

/** Returns whether two names belong to the same issuer, in either order. */
export function isSameIssuer(one: string, other: string): boolean {
  return isIssuer(one, other) || isIssuer(other, one);
}

/** Returns the non-standard parameters of an authorization request that this issuer needs for a refresh token. */
export function refreshParameters(authorizationEndpoint: string): Readonly<Record<string, string>> {
  return providerOf(authorizationEndpoint)?.forRefresh ?? {};
}
