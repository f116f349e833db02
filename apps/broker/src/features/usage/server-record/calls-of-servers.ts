import { leastCallsForFigures } from '@souk/contract/catalogue/server-record.ts';
import { createKeptValue } from '#platform/work/kept-value.ts';
import type { FigureParts } from './kept-figures.ts';

const days = 7;
const dayMs = 86_400_000;
/** Time for which the figures of all servers are cached: the statement reads a week of calls. */
const keptMs = 10 * 60_000;
/** Wait after a failure: a statement that took too long would fail again. */
const failedMs = 2 * 60_000;

type CallFigures = { successPercent: number; medianMs: number };
type Row = { server_id: string; calls: number; answered: number; median_ms: number | null };

/**
 * Returns the share of answered tool calls of all users, and their median duration, by server. While these cannot be read,
 * returns the last known figures.
 */
export function callsOfServers({ query, clock, log }: FigureParts): (serverId: string) => Promise<CallFigures | null> {
  const figures = createKeptValue<ReadonlyMap<string, CallFigures>>({
    async read() {
      const { rows } = await query<Row>(text, [new Date(clock.now() - days * dayMs), leastCallsForFigures]);
      return new Map(rows.map((row) => [row.server_id, present(row)]));
    },
    first: new Map(),
    keptMs,
    failedMs,
    clock,
    onFailure: (error) => log.warn({ err: error }, 'the outcomes of calls by server cannot be read'),
  });
  return async (serverId) => (await figures.fresh()).get(serverId) ?? null;
}

function present({ calls, answered, median_ms: medianMs }: Row): CallFigures {
  return { successPercent: percentOf(answered, calls), medianMs: Math.round(medianMs ?? 0) };
}

/** Rounds down to 2 decimals, so that 100 means all. */
export function percentOf(part: number, whole: number): number {
  return Math.floor((part / whole) * 10_000) / 100;
}

/**
 * Leaves out calls that were refused or canceled, and programs that exceeded limits because of their caller: otherwise one
 * account could spoil the server's record. A tool's own error is an answer.
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
