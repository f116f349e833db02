import type { Database, Query } from '#platform/db/database.ts';
import { frontendClientId } from './resources.ts';

/** The format of oidc-provider's ids. Nothing else may reach the database, which refuses NUL. */
const grantIdPattern = /^[\w-]+$/;

export type WhileEnding = {
  /** The authorization that replaces it in the same browser, whose session stays. */
  replacedBy?: string;
  /** Writes in the same transaction, such as an audit row. `name` is the client's or the browser's. */
  onEnded?: (query: Query, ended: { name: string; isBrowser: boolean }) => Promise<void>;
};

/** @returns false when this user has no such authorization */
export async function endAuthorization(
  db: Database,
  userId: string,
  grantId: string,
  { replacedBy = '', onEnded }: WhileEnding,
): Promise<boolean> {
  if (!grantIdPattern.test(grantId)) return false;
  return db.transaction(async (query) => {
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
    await onEnded?.(query, { name: named[0]?.name ?? '', isBrowser: named[0]?.client_id === frontendClientId });
    return true;
  });
}

/** Ends every sign-in of a user in the web app. @returns the grants that ended */
export function endBrowsers(db: Database, userId: string): Promise<string[]> {
  return db.transaction(async (query) => {
    // sessions first: a browser that signs in again at this moment must not find one
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
}
