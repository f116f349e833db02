import type { Database } from '#platform/db/database.ts';
import type { Livemode } from './accounts.ts';
import { askForLeases } from './ask-for-leases.ts';
import { LedgerConflict, setCredits } from './change-credits.ts';
import type { Ledger } from './ledger.ts';
import { readAccount } from './read-account.ts';
import { setMonthlyCap } from './set-monthly-cap.ts';

/** The pause before it is looked again whether leases are back. */
const returnMs = 25;

/** What people change of an account that brokers may hold leases of. */
export function createLedgerChanges({
  db,
  livemode,
  patienceMs,
  nowMs,
}: {
  db: Pick<Database, 'query' | 'transaction'>;
  livemode: Livemode;
  /** How long a change waits for leases to come back. */
  patienceMs: number;
  /** Elapsed time. */
  nowMs: () => number;
}): Pick<Ledger, 'account' | 'setBalance' | 'setMonthlyCap'> {
  const account = (userId: string) => readAccount(db.query, livemode, userId);
  const pause = () => new Promise((resolve) => setTimeout(resolve, returnMs));

  async function isBeyond(userId: string, cap: number): Promise<boolean> {
    const { held, spentThisMonth } = await account(userId);
    return held > 0 && held + spentThisMonth > cap;
  }

  return {
    account,
    async setBalance(change) {
      const deadlineMs = nowMs() + patienceMs;
      for (;;) {
        try {
          return await db.transaction((query) => setCredits(query, { ...change, livemode }));
        } catch (error) {
          const isHeld = error instanceof LedgerConflict && error.code === 'credits_held';
          if (!isHeld || nowMs() > deadlineMs) throw error;
          await db.transaction((query) => askForLeases(query, livemode, [change.userId]));
          await pause();
        }
      }
    },
    async setMonthlyCap(userId, cap) {
      await db.transaction((query) => setMonthlyCap(query, livemode, userId, cap));
      if (cap === undefined) return;
      const deadlineMs = nowMs() + patienceMs;
      while (nowMs() < deadlineMs && (await isBeyond(userId, cap))) await pause();
    },
  };
}
