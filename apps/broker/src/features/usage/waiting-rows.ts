import type { UsageRow } from '#features/billing/index.ts';
import { asRecords } from '#platform/db/background-work.ts';
import type { Query } from '#platform/db/database.ts';
import type { Log } from '#platform/log.ts';
import { insertUsageRows, newestOfEach } from './insert-rows.ts';

const maxBatch = 1024;
/** Rows that wait in memory while the database is unreachable. Beyond that the oldest are dropped, many at a time, and logged. */
const maxWaiting = 50_000;
const droppedAtOnce = 5_000;

export function createWaitingRows(query: Query, log: Log) {
  const record = asRecords(query);
  let waiting: UsageRow[] = [];
  /** Set while the database refuses rows, to log that once: it may last hours, and the log may be on the same full disk. */
  let isRefused = false;

  return {
    count: () => waiting.length,
    add(row: UsageRow): void {
      waiting.push(row);
      if (waiting.length <= maxWaiting) return;
      waiting.splice(0, droppedAtOnce);
      log.error({ dropped: droppedAtOnce }, 'usage rows are dropped: the database has been unreachable too long');
    },
    /** Writes the rows that wait now; later rows belong to the next tick. @returns false if the database refused */
    async write(): Promise<boolean> {
      for (let left = waiting.length; left > 0; left -= maxBatch) {
        const batch = newestOfEach(waiting.splice(0, maxBatch));
        try {
          await insertUsageRows(record, batch);
          if (isRefused) log.warn({ waiting: waiting.length }, 'usage rows can be written again');
          isRefused = false;
        } catch (error) {
          waiting = [...batch, ...waiting];
          if (!isRefused) log.error({ err: error, waiting: waiting.length }, 'usage rows cannot be written yet');
          isRefused = true;
          return false;
        }
      }
      return true;
    },
  };
}
