import type { UsageRow, UsageRows } from '#features/billing/index.ts';
import type { Query } from '#platform/db/database.ts';
import type { Log } from '#platform/log.ts';
import { foldRefusals, isRefusedForRate } from './fold-refusals.ts';
import { createWaitingRows } from './waiting-rows.ts';

/** A usage row waits for the next batch: at most this much is lost after a kill. */
const flushIntervalMs = 50;
const retryDelayMs = 1_000;
/** How late the count of refusals for rate may be. */
const countIntervalMs = 10_000;

export type UsageWriter = UsageRows & {
  /** Resolves when every row recorded so far is in the database, or has been given up. */
  flush(): Promise<void>;
  waiting(): number;
  stop(): Promise<void>;
};

/**
 * Writes usage rows in batches, one per tick. Writing again as soon as the last statement ends would mean hundreds of small
 * statements per second, and take a tenth of the time of a busy broker.
 */
export function createUsageWriter(parts: {
  query: Query;
  log: Log;
  /**
   * Called once with every row, in batches, whether or not the database accepts them; for a row whose count has grown, with
   * the number that was added. Returns immediately, never throws.
   */
  onRows?: (rows: readonly UsageRow[]) => void;
}): UsageWriter {
  const { onRows } = parts;
  const waiting = createWaitingRows(parts.query, parts.log);
  /** Rows that onRows has not seen. */
  let unseen: UsageRow[] = [];
  let timer: NodeJS.Timeout | undefined;
  let countTimer: NodeJS.Timeout | undefined;
  const refusals = foldRefusals();
  let writing: Promise<void> | undefined;
  let stopped = false;

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
    writing = waiting.write().then((isWritten) => {
      writing = undefined;
      if (waiting.count() > 0 && !stopped) schedule(isWritten ? flushIntervalMs : retryDelayMs);
    });
    return writing;
  }

  function takeCounts(): void {
    clearTimeout(countTimer);
    countTimer = undefined;
    for (const { row, more } of refusals.takeGrown()) {
      waiting.add(row);
      if (onRows) unseen.push({ ...row, count: more });
    }
  }

  return {
    waiting: waiting.count,
    reportCharged: (rows) => onRows?.(rows),
    record(called) {
      const row = isRefusedForRate(called) ? refusals.add(called) : called;
      if (!row) {
        countTimer ??= setTimeout(() => {
          takeCounts();
          if (!writing) schedule(flushIntervalMs);
        }, countIntervalMs);
        return;
      }
      waiting.add(row);
      if (onRows) unseen.push(row);
      // a running write schedules the next one when it ends
      if (!writing) schedule(flushIntervalMs);
    },
    async flush() {
      // a running batch does not have the newest rows
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
