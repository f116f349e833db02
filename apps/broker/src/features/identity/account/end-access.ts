import type { Query } from '#platform/db/database.ts';

/**
 * Ends every sign-in of a person, of browsers and of clients.
 * @returns what a revocation names, personal tokens included: announce each once the transaction is over, so that every
 *   replica ends what still runs on it
 */
export async function endAccess(query: Query, userId: string): Promise<string[]> {
  const grants = await query<{ id: string }>(`select id from oauth_records where model = 'Grant' and account_id = $1`, [
    userId,
  ]);
  const tokens = await query<{ id: string }>(`select id from personal_tokens where user_id = $1`, [userId]);
  const grantIds = grants.rows.map(({ id }) => id);
  await query(`delete from oauth_records where account_id = $1 or grant_id = any($2::text[])`, [userId, grantIds]);
  await query(`delete from authorizations where user_id = $1`, [userId]);
  return [...grantIds, ...tokens.rows.map(({ id }) => id)];
}
