import type { Query } from '#platform/db/database.ts';
import { firstShownDay } from './every-day.ts';

/** Counts the users whose calls reached a server in the last 30 days (UTC, today included), from the sums by day. */
export async function countPeopleOfServer(query: Query, nowMs: number, serverId: string): Promise<number> {
  const { rows } = await query<{ people: number }>(
    `select count(distinct user_id)::int as people from usage_by_day
     where server_id = $1 and day >= $2::date and answered + failed > 0`,
    [serverId, firstShownDay(nowMs)],
  );
  return rows[0]?.people ?? 0;
}

/** Reads the users whose calls reached one of these tools in the last 30 days (UTC, today included), from the sums by day. */
export async function callersOfTools(
  query: Query,
  { serverId, tools, nowMs }: { serverId: string; tools: readonly string[]; nowMs: number },
): Promise<{ userId: string; tool: string }[]> {
  const { rows } = await query<{ userId: string; tool: string }>(
    `select distinct user_id as "userId", name as tool from usage_by_day
     where server_id = $1 and day >= $2::date and kind = 'tool' and name = any($3::text[]) and answered + failed > 0`,
    [serverId, firstShownDay(nowMs), tools],
  );
  return rows;
}
