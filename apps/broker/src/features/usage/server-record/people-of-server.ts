import type { Query } from '#platform/db/database.ts';

const days = 30;
const dayMs = 86_400_000;

/** How many people's calls reached a server in the last 30 days (UTC, today included), from the sums by day. */
export async function countPeopleOfServer(query: Query, nowMs: number, serverId: string): Promise<number> {
  const firstDay = new Date(nowMs - (days - 1) * dayMs).toISOString().slice(0, 10);
  const { rows } = await query<{ people: number }>(
    `select count(distinct user_id)::int as people from usage_by_day
     where server_id = $1 and day >= $2::date and answered + failed > 0`,
    [serverId, firstDay],
  );
  return rows[0]?.people ?? 0;
}
