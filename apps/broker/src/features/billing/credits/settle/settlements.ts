import { asRecords } from '#platform/db/background-work.ts';
import type { Database } from '#platform/db/database.ts';
import type { Log } from '#platform/log.ts';
import type { Livemode } from '../accounts/accounts.ts';
import type { LeaseBook } from '../leases/lease-book.ts';
import type { LedgerTimes } from '../ledger.ts';
import type { UsageRows } from '../usage-rows.ts';
import { createCallNotes, maxCallsPerBatch, type CallNotes } from './call-notes.ts';
import { dropEndedCalls } from './ended-calls.ts';
import { NotedBatches } from './noted-batches.ts';
import type { FinishedCall } from './settle-calls.ts';
import { settleEach } from './settle-each.ts';

/** Deleted rows after which the embedded database, which does not reuse their space by itself, is vacuumed: some 5 MB. */
const droppedForVacuum = 500;

/**
 * Charges the calls that ended: first they are recorded in the database (call-notes.ts), then they are charged, many at a time,
 * because a small settlement costs nearly as much as a large one.
 */
export type Settlements = Omit<CallNotes, 'size'> & {
  size(): number;
  /** Whether nothing is left in memory or in the database. */
  isOver(): boolean;
  /** Time until the recorded calls are charged: they have waited long enough, or fill a statement. 0 or less: now. */
  untilDueMs(): number;
  /**
   * Charges as many recorded calls as fit into one statement.
   * @throws when the database is unreachable: they stay, and may be charged already
   */
  settle(): Promise<void>;
};

export function createSettlements(parts: {
  db: Pick<Database, 'query' | 'engine'>;
  livemode: Livemode;
  brokerId: () => string;
  uuid: () => string;
  usage: Pick<UsageRows, 'reportCharged'>;
  book: Pick<LeaseBook, 'release' | 'finish' | 'drainUser'>;
  times: LedgerTimes;
  nowMs: () => number;
  onNoted: () => void;
  /** The database refuses notes now: call `note` again. */
  onRefused: () => void;
  log: Log;
}): Settlements {
  const { db, livemode, usage, book, times, nowMs, log } = parts;
  const query = asRecords(db.query);
  const noted = new NotedBatches();
  const notes = createCallNotes({
    ...parts,
    noted(batch) {
      noted.add(batch, nowMs());
      parts.onNoted();
    },
  });
  let dropped = 0;

  async function settle(): Promise<void> {
    const batches = noted.take(maxCallsPerBatch);
    const left = new Set(batches.flatMap(({ calls }) => calls));
    try {
      if (left.size > 0) {
        await settleEach(query, livemode, [...left], {
          settled(calls, { users, rows, isFree, asked, lost }) {
            usage.reportCharged(rows);
            for (const call of calls) {
              if (!users.has(call.row.userId)) continue;
              left.delete(call);
              if (isFree(call)) book.release(call.lease, call.row.credits);
              else book.finish(call.lease);
            }
            for (const userId of asked) book.drainUser(userId);
            if (lost > 0) log.warn({ calls: lost }, 'calls were not charged: their leases had been reclaimed');
          },
          refused(call, error) {
            left.delete(call);
            logRefused(log, call, error);
            book.release(call.lease, call.row.credits);
          },
        });
      }
    } finally {
      noted.putBack(batches, left, nowMs());
    }
    await noted.dropOver(drop);
  }

  async function drop(ids: readonly string[]): Promise<void> {
    await dropEndedCalls(query, ids);
    dropped += ids.length;
    if (db.engine !== 'pglite' || dropped < droppedForVacuum) return;
    dropped = 0;
    await query('vacuum credit_ended_calls');
  }

  return {
    ...notes,
    size: () => notes.size() + noted.calls,
    isOver: () => notes.size() === 0 && noted.isOver,
    untilDueMs() {
      if (noted.calls === 0) return Infinity;
      return noted.calls >= maxCallsPerBatch ? 0 : noted.sinceMs + times.settleMs - nowMs();
    },
    settle,
  };
}

export function logRefused(log: Log, { row }: FinishedCall, error: unknown): void {
  log.error({ err: error, callId: row.callId, credits: row.credits }, 'a call could not be charged');
}
