import { builtInTools, otherServers, type UsageStats } from '@souk/contract/usage.ts';
import type { Query } from '#platform/db/database.ts';
import { latencyColumns, percentileMs } from './latency-buckets.ts';
import { readServersByDay } from './read-servers-by-day.ts';

/** The most used servers, and the most used tools (specification part 1, section 9). The totals count all. */
const maxRecords = 1000;
const dayMs = 24 * 60 * 60_000;

type Row = {
  day: string | null;
  server_id: string | null;
  name: string | null;
  calls: number;
  answered: number;
  credits: number;
  last_at: Date | null;
  last_answered_at: Date | null;
  last_client_at: Date | null;
  latency: number[];
};

/**
 * Reads one user's use in the last `days` days (UTC), today included: in total, by server, tool and day. Prompts and resources
 * do not count as tool calls, but as a last call. Calls of built-in tools count, so that the total is the number of calls that
 * users see. Read from the sums by day, not from single calls.
 */
export async function readUsageStats(query: Query, userId: string, days: number, nowMs: number): Promise<UsageStats> {
  const today = Math.floor(nowMs / dayMs) * dayMs;
  const dates = Array.from({ length: days }, (_, index) => isoDay(today - (days - 1 - index) * dayMs));
  const [{ rows }, usageByMcpAndDay] = await Promise.all([
    query<Row>(statsText, [userId, dates[0], maxRecords]),
    readServersByDay(query, userId, dates),
  ]);
  const byDay = new Map(rows.flatMap((row) => (row.day === null ? [] : [[row.day, row] as const])));
  const servers = rows.filter((row) => row.day === null && row.name === null);
  const tools = rows.filter((row) => row.name !== null);
  const inAll = [...byDay.values()];
  const total = (figure: 'calls' | 'answered' | 'credits') => inAll.reduce((sum, row) => sum + row[figure], 0);
  return {
    totalCreditsUsed: total('credits'),
    totalToolCalls: total('calls'),
    answeredToolCalls: total('answered'),
    averageCost: average(total('credits'), total('answered'), 2),
    usageByMcp: servers.map((row) => ({
      mcpId: row.server_id || builtInTools,
      ...presentUse(row),
      lastClientAt: latest([row.last_client_at]),
    })),
    usageByTool: tools.map((row) => ({
      mcpId: row.server_id ?? '',
      toolName: row.name ?? '',
      ...presentUse(row),
      latencyMs: presentLatency(row.latency),
    })),
    usageByDay: dates.map((date) => {
      const { calls = 0, answered = 0, credits = 0 } = byDay.get(date) ?? {};
      return { date, toolCalls: calls, answeredToolCalls: answered, totalCredits: credits };
    }),
    usageByMcpAndDay,
    lastCallAt: latest(inAll.map((row) => row.last_at)),
    lastAnsweredAt: latest(inAll.map((row) => row.last_answered_at)),
    lastClientAt: latest(inAll.map((row) => row.last_client_at)),
  };
}

/** Calls that belong to no server are one row, without names. */
const statsText = `
  with sums as (
    select day, server_id, name,
      coalesce(sum(calls) filter (where kind = 'tool'), 0)::bigint as calls,
      coalesce(sum(answered) filter (where kind = 'tool'), 0)::bigint as answered,
      coalesce(sum(credits), 0)::bigint as credits,
      max(last_at) as last_at, max(last_answered_at) as last_answered_at,
      max(last_client_at) as last_client_at,
      array[${latencyColumns.map((column) => `sum(${column})::bigint`).join(', ')}] as latency,
      grouping(day) = 0 as is_day, grouping(name) = 0 as is_tool
    from usage_by_day where user_id = $1 and day >= $2::date
    group by grouping sets ((day), (server_id), (server_id, kind, name))),
  ranked as (
    select *, row_number() over (partition by is_day, is_tool order by answered desc, calls desc, server_id, name) as place
    from sums where is_day or (calls > 0 and not (is_tool and server_id in ('', '${otherServers}'))))
  select to_char(day, 'YYYY-MM-DD') as day, server_id, name, calls, answered, credits, last_at, last_answered_at,
    last_client_at, latency
  from ranked where is_day or place <= $3
  order by place`;

/** The average per answered call is rounded as on the dashboard: one decimal per server (specification part 2, section 9). */
function presentUse({ calls, answered, credits }: Row) {
  return {
    toolCalls: calls,
    answeredToolCalls: answered,
    averageCost: average(credits, answered, 1),
    totalCredits: credits,
  };
}

function presentLatency(counts: readonly number[]): { p50: number; p95: number; p99: number } | null {
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => percentileMs(counts, share));
  return p50 === undefined || p95 === undefined || p99 === undefined ? null : { p50, p95, p99 };
}

function average(credits: number, answered: number, decimals: number): number {
  const scale = 10 ** decimals;
  return answered === 0 ? 0 : Math.round((credits / answered) * scale) / scale;
}

function latest(moments: readonly (Date | null)[]): string | null {
  const times = moments.flatMap((moment) => (moment ? [moment.getTime()] : []));
  return times.length === 0 ? null : new Date(Math.max(...times)).toISOString();
}

function isoDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
