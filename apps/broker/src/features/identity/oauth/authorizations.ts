import type { KoaContextWithOIDC } from 'oidc-provider';
import type { Clock } from '#platform/clock.ts';
import type { Database, Query } from '#platform/db/database.ts';
import { noteNotice } from '#platform/notices/outbox.ts';
import { cleanLabel } from '#platform/text/clean-label.ts';
import { sha256 } from '../hash.ts';
import { redirectHost } from './redirect-uri.ts';
import { frontendClientId } from './resources.ts';

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
  /** Of the grant, by resource: a text of scopes. */
  resources: Record<string, string> | null;
};

/** How oidc-provider spells its ids. Nothing else may reach the database, which refuses NUL. */
const grantIdPattern = /^[\w-]+$/;

export type Authorizations = ReturnType<typeof createAuthorizations>;

/**
 * What clients and browsers a person is signed in with. Rows beside the grants of oauth_records: a grant that is deleted takes
 * its row out of every answer at once, and the reaper tidies up.
 */
export function createAuthorizations(options: {
  db: Database;
  clock: Clock;
  /** Tells every replica that a grant was revoked. */
  announce(grantId: string): Promise<void>;
}) {
  const { db, clock } = options;
  return {
    /**
     * Writes down the authorization whose code was just redeemed. Takes what oidc-provider found for the token request.
     * @param browserName what to call the browser, where it is one
     */
    async begin(entities: KoaContextWithOIDC['oidc']['entities'], browserName: string | null): Promise<void> {
      const { AuthorizationCode: code, Client: client, Grant: grant } = entities;
      if (!code?.redirectUri || !client || grant?.accountId === undefined) return;
      const at = new Date(clock.now());
      const userId = grant.accountId;
      const { clientId } = client;
      const appName = cleanLabel(client.clientName) || null;
      const host = cleanLabel(redirectHost(code.redirectUri));
      await db.transaction(async (query) => {
        const { rows } = await query<{ is_known: boolean }>(
          `insert into authorizations
           (grant_id, user_id, client_id, client_name, client_uri, redirect_host, session_uid, created_at,
            browser_name)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict (grant_id) do nothing
         returning exists (select from authorizations o where o.user_id = $2 and o.client_id = $3) as is_known`,
          [
            grant.jti,
            userId,
            clientId,
            appName,
            client.clientUri ?? null,
            host,
            code.sessionUid ?? null,
            at,
            clientId === frontendClientId ? browserName : null,
          ],
        );
        const [begun] = rows;
        // a new sign-in of an app that is there already is no news
        if (!begun || begun.is_known || clientId === frontendClientId) return;
        const facts = { app: appName ?? host, at: at.toISOString() };
        await noteNotice(query, { kind: 'app_connected', userId, event: grant.jti, facts }, at);
      });
    },

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
     * Ends one authorization of this user: no token of it counts from here on. Of a browser, the authorization server's
     * session goes too, or its next Sign In would not ask for the account.
     * @param options.replacedBy the authorization that takes its place in the same browser, whose session stays
     * @param options.beside what is written in the same transaction, such as an audit row; it gets the client's name
     * @returns whether there was such a one.
     */
    async end(
      userId: string,
      grantId: string,
      {
        replacedBy = '',
        beside,
      }: {
        replacedBy?: string;
        beside?: (query: Query, ended: { name: string; isBrowser: boolean }) => Promise<void>;
      } = {},
    ): Promise<boolean> {
      if (!grantIdPattern.test(grantId)) return false;
      const ended = await db.transaction(async (query) => {
        const { rows } = await query(
          `delete from oauth_records where model = 'Grant' and id = $2 and account_id = $1 returning id`,
          [userId, grantId],
        );
        if (rows.length === 0) return false;
        await query(`delete from oauth_records where grant_id = $1`, [grantId]);
        await query(
          `delete from oauth_records where model = 'Session' and account_id = $1
             and uid = (select session_uid from authorizations where grant_id = $2 and client_id = $3)
             and uid is distinct from (select session_uid from authorizations where grant_id = $4)`,
          [userId, grantId, frontendClientId, replacedBy],
        );
        const { rows: named } = await query<{ client_id: string; name: string | null }>(
          `delete from authorizations where grant_id = $1
           returning client_id, case when client_id = $2 then browser_name else client_name end as name`,
          [grantId, frontendClientId],
        );
        await beside?.(query, { name: named[0]?.name ?? '', isBrowser: named[0]?.client_id === frontendClientId });
        return true;
      });
      if (ended) await options.announce(grantId);
      return ended;
    },

    /**
     * Signs a person out of the web app in every browser. Clients that they connected stay.
     * @returns how many sign-ins ended.
     */
    async endEveryBrowser(userId: string): Promise<number> {
      const grantIds = await db.transaction(async (query) => {
        // First the sessions: a browser that signs in anew in the middle of this must not find one.
        await query(`delete from oauth_records where model = 'Session' and account_id = $1`, [userId]);
        const { rows } = await query<{ id: string }>(
          `delete from oauth_records where model = 'Grant' and account_id = $1 and payload->>'clientId' = $2 returning id`,
          [userId, frontendClientId],
        );
        const ids = rows.map(({ id }) => id);
        await query(`delete from oauth_records where grant_id = any($1::text[])`, [ids]);
        await query(`delete from authorizations where grant_id = any($1::text[])`, [ids]);
        return ids;
      });
      await Promise.all(grantIds.map((grantId) => options.announce(grantId)));
      return grantIds.length;
    },

    /** Sign Out: the authorization server forgets the browser with this session cookie. */
    async endSession(cookie: string): Promise<void> {
      await db.query(`delete from oauth_records where model = 'Session' and id = $1`, [sha256(cookie)]);
    },

    /** The client of this grant told its version, shortened. */
    async noteVersion(grantId: string, version: string): Promise<void> {
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
