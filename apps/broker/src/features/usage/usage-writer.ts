import { asRecords } from '#platform/db/background-work.ts';
import type { UsageRow, UsageRows } from '#features/billing/index.ts';
import type { Query } from '#platform/db/database.ts';
import type { Log } from '#platform/log.ts';
import { foldRefusals, isRefusedForRate } from './fold-refusals.ts';
import { arrayLiteral } from '#platform/db/array-literal.ts';

/** A usage row waits for the next batch: after a kill at most this much is lost (security.md, Invariants). */
const flushIntervalMs = 50;
const maxBatch = 1024;
/** While the database is unreachable, rows wait in memory; beyond this number the oldest are dropped, many at once, and logged. */
const maxWaiting = 50_000;
const droppedAtOnce = 5_000;
const retryDelayMs = 1_000;
/** How late the count of refusals for rate may be. */
const countIntervalMs = 10_000;

export type UsageWriter = UsageRows & {
  /** Resolves when every row recorded so far is in the database, or has been given up. */
  flush(): Promise<void>;
  /** Rows that wait for the database. */
  waiting(): number;
  stop(): Promise<void>;
};

const columnNames =
  'call_id, user_id, server_id, kind, name, outcome, reason, credits, duration_ms, client_id, token_id, created_at';
const columnTypes =
  '$1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bigint[], $9::int[], ' +
  '$10::text[], $11::text[], $12::timestamptz[]';

/** Rows that are written once, which is nearly all: PostgreSQL compares nothing with a row that is there. */
const insertRows = `
  insert into usage_events (${columnNames}) select * from unnest(${columnTypes})
  on conflict (created_at, call_id) do nothing`;

/**
 * Rows that may be there: a count that has grown, and a call after a further round. Of two that ran the same round on two
 * replicas, because the client sent it again, the one that succeeded stays: it is the one that was charged.
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

/** The same by the same rules, for calls that the ledger charges in its own statement: rows of calls that ended. */
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

/**
 * Writes usage rows in batches, one for each tick. Writing again as soon as the last statement ends would mean hundreds of
 * small statements a second, and cost a tenth of the time of a busy broker.
 */
export function createUsageWriter({
  query,
  log,
  onRows,
}: {
  query: Query;
  log: Log;
  /**
   * Is told of every row once, in batches, whether or not the database takes them; where the count of a row has grown, of
   * the row with the number that came to it. Returns at once, never throws.
   */
  onRows?: (rows: readonly UsageRow[]) => void;
}): UsageWriter {
  const record = asRecords(query);
  let waiting: UsageRow[] = [];
  /** Those of `waiting` that onRows has not seen. */
  let unseen: UsageRow[] = [];
  let timer: NodeJS.Timeout | undefined;
  let countTimer: NodeJS.Timeout | undefined;
  const refusals = foldRefusals();
  let writing: Promise<void> | undefined;
  let stopped = false;
  /** One line when the database begins to refuse: it may for hours, and the log may be on the same full disk. */
  let isRefused = false;

  function schedule(delayMs: number): void {
    timer ??= setTimeout(() => {
      timer = undefined;
      void write();
    }, delayMs);
  }

  function show(): void {
    if (!onRows || unseen.length === 0) return;
    const seen = unseen;
    unseen = [];
    onRows(seen);
  }

  async function write(): Promise<void> {
    show();
    if (writing) return writing;
    writing = drain().then((isWritten) => {
      writing = undefined;
      if (waiting.length > 0 && !stopped) schedule(isWritten ? flushIntervalMs : retryDelayMs);
    });
    return writing;
  }

  /** Writes the rows that wait now; later rows belong to the next tick. @returns false when the database refused */
  async function drain(): Promise<boolean> {
    for (let left = waiting.length; left > 0; left -= maxBatch) {
      const batch = newestOfEach(waiting.splice(0, maxBatch));
      try {
        await insertUsageRows(record, batch);
        if (isRefused) log.warn({ waiting: waiting.length }, 'usage rows are written again');
        isRefused = false;
      } catch (error) {
        waiting = [...batch, ...waiting];
        if (!isRefused) log.error({ err: error, waiting: waiting.length }, 'usage rows cannot be written yet');
        isRefused = true;
        return false;
      }
    }
    return true;
  }

  function keep(row: UsageRow): void {
    waiting.push(row);
    if (waiting.length <= maxWaiting) return;
    waiting.splice(0, droppedAtOnce);
    log.error({ dropped: droppedAtOnce }, 'usage rows are dropped: the database has been unreachable too long');
  }

  function takeCounts(): void {
    clearTimeout(countTimer);
    countTimer = undefined;
    for (const { row, more } of refusals.takeGrown()) {
      keep(row);
      if (onRows) unseen.push({ ...row, count: more });
    }
  }

  return {
    tell: (rows) => onRows?.(rows),
    waiting: () => waiting.length,
    record(called) {
      const event = isRefusedForRate(called) ? refusals.add(called) : called;
      if (!event) {
        countTimer ??= setTimeout(() => {
          takeCounts();
          if (!writing) schedule(flushIntervalMs);
        }, countIntervalMs);
        return;
      }
      keep(event);
      if (onRows) unseen.push(event);
      // a write that is under way schedules the next one when it ends
      if (!writing) schedule(flushIntervalMs);
    },
    async flush() {
      // a batch that is under way does not contain the newest rows
      await writing;
      takeCounts();
      await write();
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      takeCounts();
      await writing;
      await write();
    },
  };
}

/** Whether a row of this key may have been written before. */
function isWrittenAgain(row: UsageRow): boolean {
  return row.rounds !== undefined || isRefusedForRate(row);
}

/** One statement cannot write a row twice: of a row that waits with two counts or rounds, the later stays. */
function newestOfEach(batch: UsageRow[]): UsageRow[] {
  if (!batch.some(isWrittenAgain)) return batch;
  return [...new Map(batch.map((row) => [`${row.callId} ${row.atMs}`, row])).values()];
}

async function insertUsageRows(query: Query, rows: readonly UsageRow[]): Promise<void> {
  const isPlain = rows.every(({ count = 1, rounds = 1 }) => count === 1 && rounds === 1);
  if (isPlain) return void (await query(insertRows, columns(rows)));
  const counts = arrayLiteral(rows.map(({ count = 1 }) => count));
  await query(replaceRows, [...columns(rows), counts, arrayLiteral(rows.map(({ rounds = 1 }) => rounds))]);
}

function columns(batch: readonly UsageRow[]): string[] {
  const column = (value: (event: UsageRow) => string | number | undefined) => arrayLiteral(batch.map(value));
  return [
    column((event) => event.callId),
    column((event) => event.userId),
    column((event) => event.serverId),
    column((event) => event.kind),
    column((event) => event.name),
    column((event) => event.outcome),
    column((event) => event.reason),
    column((event) => event.credits),
    column((event) => Math.round(event.durationMs)),
    column((event) => event.clientId),
    column((event) => event.tokenId),
    column(timeTexts()),
  ];
}

/** The times of rows as text. Rows that ended in the same millisecond follow each other. */
function timeTexts(): (row: UsageRow) => string {
  let lastMs: number | undefined;
  let text = '';
  return ({ atMs }) => {
    if (atMs !== lastMs) text = new Date(atMs).toISOString();
    lastMs = atMs;
    return text;
  };
}
