import { jwtVerify } from 'jose';
import type { Database } from '#platform/db/database.ts';
import type { Caller } from '#platform/http/caller.ts';
import { frontendClientId } from '../oauth/resources.ts';
import type { FindKey } from '../oauth/keys/signing-keys.ts';
import { roleOf } from '../users/role.ts';
import type { StoredProvider } from '../users/user-provider.ts';
import { isUuid } from '../users/user-store.ts';
import { readBearer } from './bearer.ts';

type TokenClaims = {
  userId: string;
  grantId: string;
  clientId: string;
  scopes: string[];
  expiresAtMs: number;
  signedInAtMs: number | undefined;
};

export type AccessTokens = {
  /**
   * Verifies the JWT of an Authorization header for one audience, spelled exactly (RFC 9068; RFC 8707).
   * @returns undefined when the token is invalid there, for any reason
   */
  verify(authorization: string | undefined, audience: string): Promise<Caller | undefined>;
  /** Whether an unexpired token for this audience, revoked or not, belongs to a deactivated account. */
  isOfDeactivated(authorization: string, audience: string): Promise<boolean>;
  /** The claims of an unexpired token of ours, for any audience, revoked or not. */
  read(token: string): Promise<TokenClaims | undefined>;
};

/**
 * Verifies access tokens: the signature proves that we issued one; one look-up by primary key proves that its grant
 * exists and that its user is active, of a configured provider, and allowed to sign in. Revocation therefore works at
 * once, on every replica.
 */
export function createAccessTokens(parts: {
  db: Database;
  issuer: string;
  findKey: FindKey;
  providers: readonly StoredProvider[];
  maySignIn(email: string): boolean;
  adminEmails: readonly string[];
  /** Called with the grant of each valid token. */
  noteUse: (grantId: string) => void;
}): AccessTokens {
  return {
    read: (token) => readClaims(token, undefined),

    async isOfDeactivated(authorization, audience) {
      const token = readBearer(authorization);
      const claims = token === undefined ? undefined : await readClaims(token, audience);
      if (!claims) return false;
      const { rows } = await parts.db.query(
        `select from users where id = $1::uuid and not is_active and deleted_at is null`,
        [claims.userId],
      );
      return rows.length > 0;
    },

    async verify(authorization, audience) {
      const token = readBearer(authorization);
      if (token === undefined) return undefined;
      const claims = await readClaims(token, audience);
      if (!claims) return undefined;
      const { rows } = await parts.db.query<{ email: string }>(
        `select u.email from oauth_records g
           join users u on u.id = $2::uuid and u.is_active and u.deleted_at is null
           join identities i on i.user_id = u.id and i.provider = any($4::text[])
         where g.model = 'Grant' and g.id = $1 and g.account_id = $2::text and g.expires_at > now()
           and g.payload->>'clientId' = $3`,
        [claims.grantId, claims.userId, claims.clientId, parts.providers],
      );
      const [row] = rows;
      if (!row || !parts.maySignIn(row.email)) return undefined;
      parts.noteUse(claims.grantId);
      return {
        userId: claims.userId,
        role: roleOf(row.email, parts.adminEmails),
        kind: claims.clientId === frontendClientId ? 'web' : 'client',
        clientId: claims.clientId,
        tokenId: claims.grantId,
        scopes: claims.scopes,
        expiresAtMs: claims.expiresAtMs,
        ...(claims.signedInAtMs !== undefined && { signedInAtMs: claims.signedInAtMs }),
      };
    },
  };

  async function readClaims(token: string, audience: string | undefined): Promise<TokenClaims | undefined> {
    try {
      const { payload } = await jwtVerify(token, parts.findKey, {
        issuer: parts.issuer,
        ...(audience !== undefined && { audience }),
        typ: 'at+jwt',
        algorithms: ['ES256'],
        requiredClaims: ['exp', 'sub', 'aud'],
      });
      const { sub, exp, aud } = payload;
      const { gid, client_id: clientId, scope, auth_time: authTime } = payload;
      // exactly one audience: we issue no lists
      if ((audience !== undefined && aud !== audience) || sub === undefined || !isUuid(sub) || exp === undefined)
        return undefined;
      if (typeof gid !== 'string' || typeof clientId !== 'string') return undefined;
      return {
        userId: sub,
        grantId: gid,
        clientId,
        scopes: typeof scope === 'string' ? scope.split(' ') : [],
        expiresAtMs: exp * 1000,
        signedInAtMs: typeof authTime === 'number' ? authTime * 1000 : undefined,
      };
    } catch {
      // expired, forged, of another audience, of a retired key: the same to the caller
      return undefined;
    }
  }
}
