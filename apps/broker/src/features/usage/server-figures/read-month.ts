import type { Query } from '#platform/db/database.ts';
import { latencyColumns, percentileMs } from '../daily/latency-buckets.ts';
import { firstShownDay } from '../server-record/every-day.ts';
import { countPeopleOfServer } from '../server-record/people-of-server.ts';

type ServerMonth = {
  /** Answered calls. Calls that the server failed, or that were refused or canceled before, are counted separately. */
  calls: number;
  errors: number;
  refused: number;
  p50Ms: number | null;
  p95Ms: number | null;
  credits: number;
  users: number;
};

type Row = { calls: number; answered: number; failed: number; credits: number; latency: number[] };

/** Reads the last 30 days (UTC) from the sums by day. Only tool calls count as calls; credits and users include the rest. */
export async function readMonth(query: Query, serverId: string, nowMs: number): Promise<ServerMonth> {
  const [{ rows }, users] = await Promise.all([
    query<Row>(monthText, [serverId, firstShownDay(nowMs)]),
    countPeopleOfServer(query, nowMs, serverId),
  ]);
  const { calls = 0, answered = 0, failed = 0, credits = 0, latency = [] } = rows[0] ?? {};
  return {
    calls: answered,
    errors: failed,
    refused: calls - answered - failed,
    p50Ms: percentileMs(latency, 0.5) ?? null,
    p95Ms: percentileMs(latency, 0.95) ?? null,
    credits,
    users,
  };
}

/** Reads the answered and the failed calls of each tool, by name. */
export async function readToolUse(
  query: Query,
  serverId: string,
  nowMs: number,
): Promise<ReadonlyMap<string, { calls: number; errors: number }>> {
  const { rows } = await query<{ name: string; calls: number; failed: number }>(
    `select name, sum(answered)::bigint as calls, sum(failed)::bigint as failed from usage_of_servers
     where server_id = $1 and day >= $2::date and kind = 'tool' group by name`,
    [serverId, firstShownDay(nowMs)],
  );
  return new Map(rows.map(({ name, calls, failed }) => [name, { calls, errors: failed }]));
}

const ofTools = (column: string) => `coalesce(sum(${column}) filter (where kind = 'tool'), 0)::bigint`;

const monthText = `
  select ${ofTools('calls')} as calls, ${ofTools('answered')} as answered, ${ofTools('failed')} as failed,
    coalesce(sum(credits), 0)::bigint as credits,
    array[${latencyColumns.map(ofTools).join(', ')}] as latency
  from usage_of_servers where server_id = $1 and day >= $2::date`;
