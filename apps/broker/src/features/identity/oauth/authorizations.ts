import type { Database } from '#platform/db/database.ts';
import type { Clock } from '#platform/clock.ts';
import { sha256 } from '../hash.ts';
import { beginAuthorization, type TokenRequestEntities } from './begin-authorization.ts';
import { endAuthorization, endBrowsers, type WhileEnding } from './end-authorization.ts';

export type AuthorizationRow = {
  grant_id: string;
  client_id: string;
  client_name: string | null;
  client_version: string | null;
  client_uri: string | null;
  redirect_host: string;
  created_at: Date;
  last_used_at: Date | null;
  browser_name: string | null;
  /** Scopes of the grant by resource, separated by spaces. */
  resources: Record<string, string> | null;
};

export type Authorizations = ReturnType<typeof createAuthorizations>;

/**
 * The clients and browsers that a user is signed in with, as rows alongside the grants of oauth_records. A deleted
 * grant hides its row at once; the reaper deletes it later.
 */
export function createAuthorizations(parts: { db: Database; clock: Clock; announce(grantId: string): Promise<void> }) {
  const { db } = parts;
  return {
    /** Records the authorization whose code was just redeemed. @param browserName the name of a browser; null for a client */
    begin: (entities: TokenRequestEntities, browserName: string | null) =>
      beginAuthorization(parts, entities, browserName),

    /** Newest first. */
    async list(userId: string): Promise<AuthorizationRow[]> {
      const { rows } = await db.query<AuthorizationRow>(
        `select a.grant_id, a.client_id, a.client_name, a.client_version, a.client_uri, a.redirect_host,
           a.created_at, a.last_used_at, a.browser_name, g.payload->'resources' as resources
         from authorizations a
           join oauth_records g on g.model = 'Grant' and g.id = a.grant_id and g.account_id = $1::text
         where a.user_id = $1::uuid and g.expires_at > now() order by a.created_at desc, a.grant_id`,
        [userId],
      );
      return rows;
    },

    /**
     * Ends one authorization of this user, and its tokens with it. For a browser, the authorization server's session
     * ends too, or its next Sign In would not ask for the account. @returns whether this user had it
     */
    async end(userId: string, grantId: string, whileEnding: WhileEnding = {}): Promise<boolean> {
      const ended = await endAuthorization(db, userId, grantId, whileEnding);
      if (ended) await parts.announce(grantId);
      return ended;
    },

    /** Signs a user out of the web app in every browser. @returns the number of sign-ins that ended */
    async endEveryBrowser(userId: string): Promise<number> {
      const grantIds = await endBrowsers(db, userId);
      await Promise.all(grantIds.map((grantId) => parts.announce(grantId)));
      return grantIds.length;
    },

    /** Sign Out: deletes the authorization server's session with this cookie. */
    async endSession(cookie: string): Promise<void> {
      await db.query(`delete from oauth_records where model = 'Session' and id = $1`, [sha256(cookie)]);
    },

    /** @param version as the client of this grant reported it, shortened */
    async recordVersion(grantId: string, version: string): Promise<void> {
      await db.query(
        `update authorizations set client_version = $2 where grant_id = $1 and client_version is distinct from $2`,
        [grantId, version],
      );
    },

    async recordUse(grantId: string, at: Date): Promise<void> {
      await db.query(
        `update authorizations set last_used_at = greatest(coalesce(last_used_at, $2), $2) where grant_id = $1`,
        [grantId, at],
      );
    },
  };
}
