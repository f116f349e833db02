import type { UsageRow } from '#features/billing/index.ts';
import { arrayLiteral } from '#platform/db/array-literal.ts';
import type { Query } from '#platform/db/database.ts';
import { isRefusedForRate } from './fold-refusals.ts';

const columnNames =
  'call_id, user_id, server_id, kind, name, outcome, reason, credits, duration_ms, client_id, token_id, created_at';
const columnTypes =
  '$1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bigint[], $9::int[], ' +
  '$10::text[], $11::text[], $12::timestamptz[]';

/** Inserts rows that are written once, which are nearly all: PostgreSQL compares nothing with an existing row. */
const insertRows = `
  insert into usage_events (${columnNames}) select * from unnest(${columnTypes})
  on conflict (created_at, call_id) do nothing`;

/**
 * Replaces existing rows: a count that has grown, or a call after a further round. If two replicas ran the same round,
 * because the client sent it again, the successful one stays, since it was charged.
 */
const replaceOlder = `
  on conflict (created_at, call_id) do update
    set outcome = excluded.outcome, reason = excluded.reason, credits = excluded.credits,
        duration_ms = excluded.duration_ms, calls = excluded.calls, rounds = excluded.rounds,
        livemode = excluded.livemode
  where excluded.calls > usage_events.calls or excluded.rounds > usage_events.rounds
     or (excluded.rounds = usage_events.rounds and excluded.outcome = 'ok' and usage_events.outcome <> 'ok')
     or (excluded.rounds = usage_events.rounds and excluded.credits > usage_events.credits)`;

const replaceRows = `
  insert into usage_events (${columnNames}, calls, rounds) select * from unnest(${columnTypes}, $13::int[], $14::int[])
  ${replaceOlder}`;

/** Writes rows by the same rules, for calls that the ledger charges in its own statement. */
export const writeUsageFunction = `
  create or replace function write_usage(p_rows usage_events[]) returns bigint language plpgsql
  set plan_cache_mode = force_generic_plan set jit = off as $function$
  begin
    if exists (select from unnest(p_rows) r where r.rounds > 1) then
      insert into usage_events select * from unnest(p_rows)
      ${replaceOlder};
    else
      insert into usage_events select * from unnest(p_rows) on conflict (created_at, call_id) do nothing;
    end if;
    return cardinality(p_rows);
  end $function$`;

/** Removes older versions of rows: one statement cannot write a row twice. */
export function newestOfEach(batch: UsageRow[]): UsageRow[] {
  if (!batch.some((row) => row.rounds !== undefined || isRefusedForRate(row))) return batch;
  return [...new Map(batch.map((row) => [`${row.callId} ${row.atMs}`, row])).values()];
}

export async function insertUsageRows(query: Query, rows: readonly UsageRow[]): Promise<void> {
  const isPlain = rows.every(({ count = 1, rounds = 1 }) => count === 1 && rounds === 1);
  if (isPlain) return void (await query(insertRows, columns(rows)));
  const counts = arrayLiteral(rows.map(({ count = 1 }) => count));
  await query(replaceRows, [...columns(rows), counts, arrayLiteral(rows.map(({ rounds = 1 }) => rounds))]);
}

function columns(batch: readonly UsageRow[]): string[] {
  const column = (value: (row: UsageRow) => string | number | undefined) => arrayLiteral(batch.map(value));
  return [
    column((row) => row.callId),
    column((row) => row.userId),
    column((row) => row.serverId),
    column((row) => row.kind),
    column((row) => row.name),
    column((row) => row.outcome),
    column((row) => row.reason),
    column((row) => row.credits),
    column((row) => Math.round(row.durationMs)),
    column((row) => row.clientId),
    column((row) => row.tokenId),
    column(timeTexts()),
  ];
}

/** The times of rows as text, reused for consecutive rows of the same millisecond. */
function timeTexts(): (row: UsageRow) => string {
  let lastMs: number | undefined;
  let text = '';
  return ({ atMs }) => {
    if (atMs !== lastMs) text = new Date(atMs).toISOString();
    lastMs = atMs;
    return text;
  };
}
