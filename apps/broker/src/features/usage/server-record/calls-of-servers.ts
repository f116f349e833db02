import { leastCallsForFigures } from '@souk/contract/catalogue/server-record.ts';
import type { Clock } from '#platform/clock.ts';
import type { Query } from '#platform/db/database.ts';
import { createKeptValue } from '#platform/work/kept-value.ts';
import type { Log } from '#platform/log.ts';

const days = 7;
const dayMs = 86_400_000;
/** The statement reads a week of calls: it runs once in this time, for the pages of all servers together. */
const keptMs = 10 * 60_000;
/** A statement that failed for its length would fail again. */
const failedMs = 2 * 60_000;

export type CallFigures = { successPercent: number; medianMs: number };
type Row = { server_id: string; calls: number; answered: number; median_ms: number | null };

/** How calls of tools went, by server, of everyone together. While it cannot be read, what was read last. */
export function callsOfServers({
  query,
  clock,
  log,
}: {
  query: Query;
  clock: Clock;
  log: Log;
}): (serverId: string) => Promise<CallFigures | null> {
  const figures = createKeptValue<ReadonlyMap<string, CallFigures>>({
    async read() {
      const { rows } = await query<Row>(text, [new Date(clock.now() - days * dayMs), leastCallsForFigures]);
      return new Map(rows.map((row) => [row.server_id, present(row)]));
    },
    first: new Map(),
    keptMs,
    failedMs,
    clock,
    onFailure: (error) => log.warn({ err: error }, 'how calls of servers went cannot be read'),
  });
  return async (serverId) => (await figures.fresh()).get(serverId) ?? null;
}

function present({ calls, answered, median_ms: medianMs }: Row): CallFigures {
  return { successPercent: percentOf(answered, calls), medianMs: Math.round(medianMs ?? 0) };
}

/** With 2 decimals, and never rounded up: 100 means all. */
export function percentOf(part: number, whole: number): number {
  return Math.floor((part / whole) * 10_000) / 100;
}

/**
 * What was refused or cancelled says nothing of the server, nor does a program that ended for what its caller made it take:
 * else one account could spoil the record. A tool's own error is an answer.
 */
const text = `
  select server_id, sum(calls)::int as calls,
    coalesce(sum(calls) filter (where outcome = 'ok' or reason = 'tool_error'), 0)::int as answered,
    percentile_disc(0.5) within group (order by duration_ms)
      filter (where outcome = 'ok' or reason = 'tool_error') as median_ms
  from usage_events
  where created_at >= $1 and kind = 'tool' and server_id is not null and outcome in ('ok', 'error', 'failed')
    and coalesce(reason, '') not in ('storage_full', 'over_limit')
  group by server_id having sum(calls) >= $2`;
