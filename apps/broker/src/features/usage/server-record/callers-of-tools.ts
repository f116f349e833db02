import type { Query } from '#platform/db/database.ts';
import { firstShownDay } from './every-day.ts';

/** Reads whose calls reached which of these tools in the last 30 days (UTC, today included), from the sums by day. */
export async function callersOfTools(
  query: Query,
  { serverId, tools, nowMs }: { serverId: string; tools: readonly string[]; nowMs: number },
): Promise<{ userId: string; tool: string }[]> {
  const { rows } = await query<{ user_id: string; name: string }>(
    `select distinct user_id, name from usage_by_day
     where server_id = $1 and day >= $2::date and kind = 'tool' and name = any($3::text[]) and answered + failed > 0`,
    [serverId, firstShownDay(nowMs), tools],
  );
  return rows.map(({ user_id: userId, name: tool }) => ({ userId, tool }));
}
