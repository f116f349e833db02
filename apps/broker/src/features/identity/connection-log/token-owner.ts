import { compactVerify } from 'jose';
import { z } from 'zod';
import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import { readBearer } from '../access/bearer.ts';
import { sha256 } from '../hash.ts';
import { frontendClientId } from '../oauth/resources.ts';
import type { FindKey } from '../oauth/signing-keys.ts';
import { isPersonalToken } from '../tokens/personal-token-store.ts';
import { attemptKey, type ConnectionEvent, type Failure } from './connection-event.ts';

/** Whose token it is although it is not good (here), and why it is not; `failure` is absent for one that is good. */
export type TokenOwner = Pick<ConnectionEvent, 'key' | 'userId' | 'clientId'> & { failure?: Failure };

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
 * Finds the owner of a token that was refused. Only a token that we issued has one: its signature is checked as always,
 * and merely its end, its audience and its grant are not conditions here but the answer.
 */
export function createTokenOwners(options: { db: Database; issuer: string; findKey: FindKey; clock: Clock }) {
  const { db, issuer, clock } = options;
  async function ofPersonalToken(token: string, userAgent: string): Promise<TokenOwner | undefined> {
    const { rows } = await db.query<PersonalRow>(
      `select id, user_id, revoked_at is not null as is_revoked, expires_at from personal_tokens where token_hash = $1`,
      [sha256(token)],
    );
    const [row] = rows;
    if (!row) return undefined;
    const owner = { key: attemptKey.personalToken(row.id, userAgent), userId: row.user_id };
    if (row.is_revoked) return { ...owner, failure: { step: 'token', reason: 'token-revoked' } };
    if (row.expires_at.getTime() <= clock.now()) {
      return { ...owner, failure: { step: 'token', reason: 'personal-token-expired' } };
    }
    return owner;
  }

  async function ofAccessToken(token: string, resource: string): Promise<TokenOwner | undefined> {
    const claims = await readClaims(token);
    // The web app's own token in another program: nothing that a person connected.
    if (!claims || claims.client_id === frontendClientId) return undefined;
    const owner = { key: attemptKey.grant(claims.gid), userId: claims.sub, clientId: claims.client_id };
    const failed = (failure: Failure): TokenOwner => ({ ...owner, failure });
    const { rows } = await db.query(
      `select 1 from oauth_records where model = 'Grant' and id = $1 and account_id = $2 and expires_at > now()`,
      [claims.gid, claims.sub],
    );
    if (rows.length === 0) return failed({ step: 'token', reason: 'token-revoked' });
    if (claims.exp * 1000 <= clock.now()) return failed({ step: 'token', reason: 'token-expired' });
    if (claims.aud !== resource) {
      return failed({ step: 'first-request', reason: 'wrong-token', facts: { kind: claims.aud, right: resource } });
    }
    return owner;
  }

  async function readClaims(token: string) {
    try {
      const { payload } = await compactVerify(token, options.findKey, { algorithms: ['ES256'] });
      const claims = claimsSchema.safeParse(JSON.parse(new TextDecoder().decode(payload)));
      return claims.success && claims.data.iss === issuer ? claims.data : undefined;
    } catch {
      return undefined;
    }
  }

  return {
    /** `userAgent` as in attemptKey.personalToken. Undefined for a token that nobody here was given. */
    async find(authorization: string, resource: string, userAgent: string): Promise<TokenOwner | undefined> {
      const token = readBearer(authorization);
      if (token === undefined) return undefined;
      return isPersonalToken(token) ? ofPersonalToken(token, userAgent) : ofAccessToken(token, resource);
    },
  };
}
