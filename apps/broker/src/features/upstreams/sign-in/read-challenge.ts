import { bearerParameters } from '#platform/http/challenge-header.ts';

/** What a 401 says about how to sign in (RFC 9728 section 5.1, RFC 6750 section 3). */
export type Challenge = { metadataUrl: string | undefined; scope: string | undefined };

/** Reads the parameters of the Bearer challenge in a WWW-Authenticate header and ignores other schemes. */
export function readChallenge(header: string | null): Challenge {
  const parameters = bearerParameters(header);
  return { metadataUrl: parameters.get('resource_metadata'), scope: parameters.get('scope') };
}

/** The scopes of a challenge (RFC 6749 section 3.3). Bounded, since our own request carries them in an address. */
export function scopesOf(scope: string | undefined): string[] {
  if (scope === undefined || scope.length > 2000) return [];
  return scope.split(' ').filter((one) => one !== '');
}
