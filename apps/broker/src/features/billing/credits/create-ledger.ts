import { monotonicMs, type Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import type { Log } from '#platform/log.ts';
import type { Livemode } from './accounts/accounts.ts';
import { BrokerLife } from './broker-life.ts';
import type { PricedCall } from './charges.ts';
import { leaseChannel } from './leases/ask-for-leases.ts';
import { LeaseBook } from './leases/lease-book.ts';
import { LeaseHold, type HoldEnds } from './leases/lease-hold.ts';
import type { LeasePolicy } from './leases/lease.ts';
import { createLedgerChanges } from './ledger-changes.ts';
import { createLedgerLoop } from './ledger-loop.ts';
import { ledgerTimes, type Ledger, type LedgerTimes, type NoLease } from './ledger.ts';
import type { UsageRows } from './usage-rows.ts';

export async function createLedger(ledgerParts: {
  db: Database;
  livemode: Livemode;
  usage: Pick<UsageRows, 'reportCharged'>;
  uuid: () => string;
  clock: Clock;
  log: Log;
  policy: LeasePolicy;
  times?: LedgerTimes;
}): Promise<Ledger> {
  const { db, clock, times = ledgerTimes } = ledgerParts;
  const nowMs = () => monotonicMs(clock);
  const parts = { ...ledgerParts, times, nowMs };
  const book = new LeaseBook(parts);
  const life = new BrokerLife(parts);
  const loop = createLedgerLoop({ ...parts, book, life });

  const ends: HoldEnds = {
    write: loop.settlements.add,
    release(lease, credits) {
      book.release(lease, credits);
      if (book.hasTrims) loop.runSoon();
    },
    mayBeDead: () => life.mayBeDead,
  };

  function waitForLease({ userId, credits, isContinued, callId }: PricedCall): Promise<LeaseHold | NoLease> {
    return new Promise((resolve) => {
      book.wait({
        userId,
        credits,
        roundsOf: isContinued ? callId : undefined,
        sinceMs: nowMs(),
        resolve: (lease) => resolve(new LeaseHold(lease, credits, ends)),
        refuse: resolve,
      });
      loop.runForCall();
    });
  }

  const stopListening = await db.listen(leaseChannel, (userId) => {
    if (userId === '') book.drainAll();
    else book.drainUser(userId);
    if (book.hasTrims) loop.run();
  });
  loop.run();

  return {
    hold(call) {
      if (loop.isStopped()) return Promise.resolve({ kind: 'unavailable' });
      const { userId, credits, isContinued } = call;
      const lease = !isContinued && life.isAlive && !loop.isBehind() ? book.take(userId, credits) : undefined;
      return lease ? new LeaseHold(lease, credits, ends) : waitForLease(call);
    },
    ...createLedgerChanges({ ...parts, restOf: (leaseId, granted) => book.restOf(leaseId, granted) }),
    flush: loop.flush,
    async stop() {
      await stopListening();
      book.drainAll();
      await loop.stop();
    },
  };
}
