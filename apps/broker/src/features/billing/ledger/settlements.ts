import { isDatabaseLost } from '#platform/db/database-errors.ts';
import type { Query } from '#platform/db/database.ts';
import type { Log } from '#platform/log.ts';
import type { UsageRows } from '../usage-rows.ts';
import type { Livemode } from './accounts.ts';
import type { EndedCall } from './lease-hold.ts';
import type { createLeaseBook } from './lease-book.ts';
import { settleCalls } from './settle-calls.ts';

const mostAtOnce = 256;

/** The calls that ended and are yet to be charged, in the order in which they ended. */
export type Settlements = {
  keep(call: EndedCall): void;
  /** Calls that wait. */
  size(): number;
  /** Until the oldest call has waited long enough, or there are as many as one statement takes; not above 0: now. */
  untilDueMs(): number;
  /** Charges the calls of one statement. @throws when the database is away: they are kept, and may be written already */
  settle(): Promise<void>;
};

export function createSettlements({
  query,
  livemode,
  usage,
  book,
  patienceMs,
  nowMs,
  log,
}: {
  query: Query;
  livemode: Livemode;
  usage: Pick<UsageRows, 'tell'>;
  book: Pick<ReturnType<typeof createLeaseBook>, 'release' | 'finish' | 'drainUser'>;
  /** How long a call waits for others, so that they are written together. */
  patienceMs: number;
  nowMs: () => number;
  log: Log;
}): Settlements {
  let waiting: EndedCall[] = [];
  /** When the first of them ended. */
  let sinceMs = 0;

  function keep(call: EndedCall): void {
    if (waiting.length === 0) sinceMs = nowMs();
    waiting.push(call);
  }

  async function settle(calls: EndedCall[]): Promise<void> {
    if (calls.length === 0) return;
    let settlement;
    try {
      settlement = await settleCalls(query, livemode, calls);
    } catch (error) {
      if (!isOfOneRow(error)) {
        // perhaps it was committed: the same again is harmless
        waiting = [...calls, ...waiting];
        throw error;
      }
      return settleApart(calls, error);
    }
    const { users, rows, free, asked, lost } = settlement;
    usage.tell(rows);
    for (const call of calls) {
      if (!users.has(call.row.userId)) keep(call);
      else if (free.has(call.row.callId)) book.release(call.lease, call.row.credits);
      else book.finish(call.lease);
    }
    for (const userId of asked) book.drainUser(userId);
    if (lost > 0) log.warn({ calls: lost }, 'calls were not charged: their leases had gone back');
  }

  /** One row that the database refuses must not stop the others: halves until it stands alone, which is not charged. */
  async function settleApart(calls: EndedCall[], error: unknown): Promise<void> {
    const [first] = calls;
    if (calls.length === 1 && first) {
      log.error({ err: error, callId: first.row.callId, credits: first.row.credits }, 'a call could not be charged');
      book.release(first.lease, first.row.credits);
      return;
    }
    const half = calls.length >> 1;
    await settle(calls.slice(0, half));
    await settle(calls.slice(half));
  }

  return {
    keep,
    size: () => waiting.length,
    untilDueMs: () => (waiting.length >= mostAtOnce ? 0 : sinceMs + patienceMs - nowMs()),
    settle: () => settle(waiting.splice(0, mostAtOnce)),
  };
}

/** SQLSTATE classes of what one row can cause: bad data, a constraint, a name. */
function isOfOneRow(error: unknown): boolean {
  if (isDatabaseLost(error) || !(error instanceof Error) || !('code' in error)) return false;
  return typeof error.code === 'string' && /^(22|23|42)/.test(error.code);
}
