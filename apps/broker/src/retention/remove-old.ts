import { dropOldPartitions, forgetUseOfDeleted } from '#features/usage/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { Config } from '#platform/config.ts';
import type { Database } from '#platform/db/database.ts';
import type { Log } from '#platform/log.ts';
import { removeClosedBooks } from './closed-books.ts';
import { oldRows, removeOldRows } from './old-rows.ts';

/** Deletes all data that has passed its retention period (docs/retention.md), and logs how much. */
export async function removeOld({
  db,
  config: { retention },
  clock,
  log,
}: {
  db: Database;
  config: Pick<Config, 'retention'>;
  clock: Clock;
  log: Log;
}): Promise<void> {
  const nowMs = clock.now();
  const removed: Record<string, number> = {};
  removed['months of calls'] = (await dropOldPartitions(db, nowMs, retention.callsMonths)).length;
  for (const old of oldRows(retention, nowMs)) removed[old.table] = await removeOldRows(db, old);
  removed['use of deleted accounts'] = await forgetUseOfDeleted(db.query, nowMs);
  removed['deleted accounts'] = await removeClosedBooks(db, yearsBefore(nowMs, retention.booksYears), log);
  const some = Object.entries(removed).filter(([, count]) => count > 0);
  if (some.length > 0) log.info({ removed: Object.fromEntries(some) }, 'old rows removed');
}

function yearsBefore(nowMs: number, years: number): Date {
  const before = new Date(nowMs);
  before.setUTCFullYear(before.getUTCFullYear() - years);
  return before;
}
