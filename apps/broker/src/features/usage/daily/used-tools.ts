import type { Query } from '#platform/db/database.ts';

const days = 90;
const maxTools = 2_000;

/** The tools of servers that a person called in the last 90 days (UTC), with any outcome. */
export async function usedTools(
  query: Query,
  userId: string,
  nowMs: number,
): Promise<{ serverId: string; tool: string }[]> {
  const { rows } = await query<{ server_id: string; name: string }>(
    `select distinct server_id, name from usage_by_day
     where user_id = $1 and day > (($2::timestamptz) at time zone 'UTC')::date - $3::int and kind = 'tool' and name <> ''
     order by server_id, name limit $4`,
    [userId, new Date(nowMs), days, maxTools],
  );
  return rows.map((row) => ({ serverId: row.server_id, tool: row.name }));
}
