import { builtInTools, otherServers, serversByDay, type UsageStats } from '@souk/contract/usage.ts';
import type { Query } from '#platform/db/database.ts';

type Row = { server_id: string; day: string; answered: number };

/**
 * Reads a user's answered tool calls on each of these days (UTC, oldest first) by server: the servers with the most calls,
 * in that order; then built-in tools, and all other servers together.
 */
export async function readServersByDay(
  query: Query,
  userId: string,
  dates: readonly string[],
): Promise<UsageStats['usageByMcpAndDay']> {
  const { rows } = await query<Row>(text, [userId, dates[0], serversByDay]);
  const byServer = Map.groupBy(rows, (row) => row.server_id);
  return [...byServer].map(([mcpId, days]) => {
    const answered = new Map(days.map((row) => [row.day, row.answered]));
    return { mcpId, answeredToolCalls: dates.map((date) => answered.get(date) ?? 0) };
  });
}

/** Built-in tools, and the servers that a day counts together, are never ranked among the servers with the most calls. */
const text = `
  with sums as (
    select case when server_id = '' then '${builtInTools}' else server_id end as server_id, day,
      sum(answered)::bigint as answered
    from usage_by_day where user_id = $1 and day >= $2::date and kind = 'tool'
    group by usage_by_day.server_id, day having sum(answered) > 0),
  ranked as (
    select server_id, row_number() over (order by sum(answered) desc, server_id) as place
    from sums where server_id not in ('${builtInTools}', '${otherServers}') group by server_id),
  named as (
    select case when sums.server_id = '${builtInTools}' then sums.server_id
      else coalesce(top.server_id, '${otherServers}') end as server_id, top.place, day, answered
    from sums left join ranked top on top.server_id = sums.server_id and top.place <= $3)
  select server_id, to_char(day, 'YYYY-MM-DD') as day, sum(answered)::bigint as answered
  from named group by server_id, place, named.day order by place nulls last, server_id, named.day`;
