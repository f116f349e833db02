/** What a 401 says about how to sign in (RFC 9728 section 5.1, RFC 6750 section 3). */
export type Challenge = { metadataUrl: string | undefined; scope: string | undefined };

/** Reads the parameters of the Bearer challenge in a WWW-Authenticate header and ignores other schemes. */
export function readChallenge(header: string | null): Challenge {
  const bearer = /(?:^|,\s*)bearer\s+(.*)$/is.exec(header ?? '')?.[1] ?? '';
  const parameter = (name: string): string | undefined => {
    const found = new RegExp(`(?:^|[\\s,])${name}\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s,"]+))`, 'i').exec(bearer);
    return found?.[1]?.replaceAll(/\\(.)/g, '$1') ?? found?.[2];
  };
  return { metadataUrl: parameter('resource_metadata'), scope: parameter('scope') };
}

/** The scopes of a challenge (RFC 6749 section 3.3). Bounded, since our own request carries them in an address. */
export function scopesOf(scope: string | undefined): string[] {
  if (scope === undefined || scope.length > 2000) return [];
  return scope.split(' ').filter((one) => one !== '');
}
