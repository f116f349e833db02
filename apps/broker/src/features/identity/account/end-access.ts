import type { Query } from '#platform/db/database.ts';
import { frontendClientId } from '../oauth/resources.ts';

/**
 * Ends every sign-in of a user, in browsers and clients.
 * @returns the ids of what ended, including personal tokens: announce each after the transaction, so that every replica
 *   ends what still runs on it
 */
export async function endAccess(query: Query, userId: string): Promise<string[]> {
  const { grantIds } = await endSignIns(query, userId);
  const tokens = await query<{ id: string }>(`select id from personal_tokens where user_id = $1`, [userId]);
  return [...grantIds, ...tokens.rows.map(({ id }) => id)];
}

/** Does the same without personal tokens. @returns the grants that ended, and how many of them were browsers' */
export async function endSignIns(query: Query, userId: string): Promise<{ grantIds: string[]; browsers: number }> {
  const { rows } = await query<{ id: string; is_browser: boolean }>(
    `select id, payload->>'clientId' = $2 as is_browser from oauth_records where model = 'Grant' and account_id = $1`,
    [userId, frontendClientId],
  );
  const grantIds = rows.map(({ id }) => id);
  await query(`delete from oauth_records where account_id = $1 or grant_id = any($2::text[])`, [userId, grantIds]);
  await query(`delete from authorizations where user_id = $1`, [userId]);
  return { grantIds, browsers: rows.filter((row) => row.is_browser).length };
}
