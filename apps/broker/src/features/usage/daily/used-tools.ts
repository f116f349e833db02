import type { Query } from '#platform/db/database.ts';

const days = 90;
const maxTools = 2_000;

/** Reads the tools of servers that a user called in the last 90 days (UTC), with any outcome. */
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

/** Whether a user got an answer from a server in the last 90 days (UTC). */
export async function hasUsed(query: Query, userId: string, serverId: string, nowMs: number): Promise<boolean> {
  const { rows } = await query(
    `select 1 from usage_by_day
     where user_id = $1 and server_id = $2 and answered > 0 and day > (($3::timestamptz) at time zone 'UTC')::date - $4::int limit 1`,
    [userId, serverId, new Date(nowMs), days],
  );
  return rows.length > 0;
}
