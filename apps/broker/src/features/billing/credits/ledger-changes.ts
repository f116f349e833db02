import { writeAuditWith } from '#platform/audit/audit-log.ts';
import { monotonicMs, type Clock } from '#platform/clock.ts';
import type { Database, Query } from '#platform/db/database.ts';
import type { Livemode } from './accounts/accounts.ts';
import { askForLeases } from './leases/ask-for-leases.ts';
import { LedgerConflict, setCredits } from './accounts/change-credits.ts';
import type { Ledger, LedgerTimes } from './ledger.ts';
import { readAccount } from './accounts/read-account.ts';
import { setMonthlyCap } from './accounts/set-monthly-cap.ts';

type Change = Parameters<Ledger['setBalance']>[0];
type Author = Parameters<Ledger['setBalance']>[1];

/** Pause between two checks for returned leases. */
const returnMs = 25;

/** Builds the changes to accounts of which brokers may have leases. */
export function createLedgerChanges({
  db,
  livemode,
  times: { patienceMs },
  restOf,
  clock,
}: {
  db: Pick<Database, 'query' | 'transaction'>;
  livemode: Livemode;
  times: Pick<LedgerTimes, 'patienceMs'>;
  /** The credits of a lease that no call holds; 0 for other brokers' leases. */
  restOf: (leaseId: string, granted: number) => number;
  clock: Clock;
}): Pick<Ledger, 'account' | 'setBalance' | 'setMonthlyCap'> {
  const nowMs = () => monotonicMs(clock);
  const pause = () => new Promise((resolve) => setTimeout(resolve, returnMs));

  async function isOverCap(userId: string, cap: number): Promise<boolean> {
    const { held, spentThisMonth } = await readAccount(db.query, livemode, userId);
    return held > 0 && held + spentThisMonth > cap;
  }

  /** Writes the audit row in the transaction of the change. */
  async function setAudited(query: Query, change: Change, by: Author): Promise<number> {
    const delta = await setCredits(query, { ...change, livemode });
    if (delta === 0) return delta;
    const { userId, credits, reason } = change;
    const actorId = 'actorId' in by ? by.actorId : undefined;
    const details = { credits, change: delta, sandbox: !livemode, ...('operator' in by && { operator: by.operator }) };
    await writeAuditWith(
      query,
      { actorId, action: 'credits.set', subject: userId, reason, details },
      new Date(clock.now()),
    );
    return delta;
  }

  return {
    account: (userId) => readAccount(db.query, livemode, userId, restOf),
    async setBalance(change, by, before) {
      const deadlineMs = nowMs() + patienceMs;
      for (;;) {
        try {
          return await db.transaction(async (query) => {
            await before?.(query);
            return setAudited(query, change, by);
          });
        } catch (error) {
          const areHeld = error instanceof LedgerConflict && error.code === 'credits_held';
          if (!areHeld || nowMs() > deadlineMs) throw error;
          await db.transaction((query) => askForLeases(query, livemode, [change.userId]));
          await pause();
        }
      }
    },
    async setMonthlyCap(userId, cap) {
      await db.transaction((query) => setMonthlyCap(query, livemode, userId, cap));
      if (cap === undefined) return;
      const deadlineMs = nowMs() + patienceMs;
      while (nowMs() < deadlineMs && (await isOverCap(userId, cap))) await pause();
    },
  };
}
