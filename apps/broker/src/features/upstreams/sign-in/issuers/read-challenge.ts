import { bearerParameters } from '#platform/http/outgoing/challenge-header.ts';
import { isScope } from '../tokens/plain-values.ts';

/** Instructions of a 401 for signing in (RFC 9728 section 5.1, RFC 6750 section 3). */
export type Challenge = { metadataUrl: string | undefined; scope: string | undefined };

/** Reads the parameters of the Bearer challenge in a WWW-Authenticate header and ignores other schemes. */
export function readChallenge(header: string | null): Challenge {
  const parameters = bearerParameters(header);
  return { metadataUrl: parameters.get('resource_metadata'), scope: parameters.get('scope') };
}

/** Limits of the scopes in our own request, which are part of its address. */
const maxScopes = 100;
const maxCharacters = 4000;

export function scopesOf(scope: string | undefined): string[] {
  return scope === undefined || scope.length > 16_000 ? [] : boundedScopes(scope.split(' '));
}

/** Returns the valid scopes (RFC 6749, section 3.3), without duplicates, as many as an address can carry. */
export function boundedScopes(scopes: readonly string[] = []): string[] {
  const kept = new Set<string>();
  let characters = 0;
  for (const scope of scopes) {
    if (kept.has(scope) || !isScope(scope)) continue;
    characters += scope.length + 1;
    if (characters > maxCharacters || kept.size === maxScopes) break;
    kept.add(scope);
  }
  return [...kept];
}
