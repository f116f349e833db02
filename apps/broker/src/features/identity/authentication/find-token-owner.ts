import { compactVerify } from 'jose';
import { z } from 'zod';
import type { Clock } from '#platform/clock.ts';
import type { Query } from '#platform/db/database.ts';
import { sha256 } from '../hash.ts';
import { frontendClientId } from '../oauth/resources.ts';
import type { FindKey } from '../oauth/keys/signing-keys.ts';
import { isPersonalToken } from '../tokens/personal-token-store.ts';
import { readBearer } from './bearer.ts';

/** Owner of a token, which may be invalid where it was used. */
export type TokenOwner = { userId: string; problem: TokenProblem | undefined } & (
  | { kind: 'personal'; tokenId: string }
  | { kind: 'client'; grantId: string; clientId: string }
);

/** Why the token is refused; `audience`: the other resource that it is for. */
export type TokenProblem = { kind: 'revoked' } | { kind: 'expired' } | { kind: 'other-resource'; audience: string };

export type FindTokenOwner = (authorization: string, resource: string) => Promise<TokenOwner | undefined>;

type PersonalRow = { id: string; user_id: string; is_revoked: boolean; expires_at: Date };

const claimsSchema = z.object({
  iss: z.string(),
  sub: z.uuid(),
  aud: z.string(),
  exp: z.number(),
  gid: z.string(),
  client_id: z.string(),
});

/**
 * Finds the owner of a refused token, if we issued it: the signature must be valid. Expiry, audience and grant need not
 * be valid; the result says which of them is the problem.
 * @returns a function that answers undefined for a token that was not issued here, and for the web app's own
 */
export function createFindTokenOwner(parts: {
  query: Query;
  issuer: string;
  findKey: FindKey;
  clock: Clock;
}): FindTokenOwner {
  const { query, issuer, clock } = parts;

  async function ownerOfPersonal(token: string): Promise<TokenOwner | undefined> {
    const { rows } = await query<PersonalRow>(
      `select id, user_id, revoked_at is not null as is_revoked, expires_at from personal_tokens where token_hash = $1`,
      [sha256(token)],
    );
    const [row] = rows;
    if (!row) return undefined;
    const kind = row.is_revoked ? 'revoked' : row.expires_at.getTime() <= clock.now() ? 'expired' : undefined;
    return { kind: 'personal', tokenId: row.id, userId: row.user_id, problem: kind && { kind } };
  }

  async function ownerOfAccess(token: string, resource: string): Promise<TokenOwner | undefined> {
    const claims = await readClaims(token);
    // the web app's own token in another program: the user has not connected a client
    if (!claims || claims.client_id === frontendClientId) return undefined;
    const { rows } = await query(
      `select 1 from oauth_records where model = 'Grant' and id = $1 and account_id = $2 and expires_at > now()`,
      [claims.gid, claims.sub],
    );
    const problem = problemOf(claims, resource, rows.length > 0);
    return { kind: 'client', grantId: claims.gid, clientId: claims.client_id, userId: claims.sub, problem };
  }

  function problemOf(
    { exp, aud }: { exp: number; aud: string },
    resource: string,
    hasGrant: boolean,
  ): TokenProblem | undefined {
    if (!hasGrant) return { kind: 'revoked' };
    if (exp * 1000 <= clock.now()) return { kind: 'expired' };
    return aud === resource ? undefined : { kind: 'other-resource', audience: aud };
  }

  async function readClaims(token: string) {
    try {
      const { payload } = await compactVerify(token, parts.findKey, { algorithms: ['ES256'] });
      const claims = claimsSchema.safeParse(JSON.parse(new TextDecoder().decode(payload)));
      return claims.success && claims.data.iss === issuer ? claims.data : undefined;
    } catch {
      return undefined;
    }
  }

  return async (authorization, resource) => {
    const token = readBearer(authorization);
    if (token === undefined) return undefined;
    return isPersonalToken(token) ? ownerOfPersonal(token) : ownerOfAccess(token, resource);
  };
}
