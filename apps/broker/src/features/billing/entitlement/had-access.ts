import type { Query } from '#platform/db/database.ts';

/** Whether a user ever rented, bought or tried a server, or was given it. */
export async function hadAccess(query: Query, userId: string, serverId: string): Promise<boolean> {
  const { rows } = await query(`select 1 from access_grants where user_id = $1 and server_id = $2 limit 1`, [
    userId,
    serverId,
  ]);
  return rows.length > 0;
}
