import type { Query } from '#platform/db/database.ts';
import type { PricedCall } from './charges.ts';
import type { NewBalance } from './accounts/change-credits.ts';
import type { LeaseTimes, Waiter } from './leases/lease.ts';
import type { LeaseHold } from './leases/lease-hold.ts';
import type { CreditAccount } from './accounts/read-account.ts';

export type LedgerTimes = LeaseTimes & {
  /** A call that ended is noted in the database at the latest after this time, which is what a kill may lose (I3). */
  noteMs: number;
  /** Once ten of them are answered, further answers wait for their note, but no longer than this: the database may be silent. */
  unnotedMs: number;
  /** And charged this long after it was noted, together with others. */
  settleMs: number;
  /** How often a broker shows that it lives, and for how long after the last time it spends its leases. */
  beatMs: number;
  aliveMs: number;
  /** Others take its leases back after this time without a sign, by the database's clock. More than aliveMs. */
  lifeMs: number;
  /** How long a stop tries to write what is not written yet. */
  stopMs: number;
};

export const ledgerTimes: LedgerTimes = {
  noteMs: 10,
  unnotedMs: 1_000,
  settleMs: 100,
  patienceMs: 250,
  answerMs: 4900,
  refusedMs: 1500,
  idleMs: 2000,
  ageMs: 10_000,
  beatMs: 2000,
  aliveMs: 5000,
  lifeMs: 10_000,
  stopMs: 5000,
};

export type NoLease = Parameters<Waiter['refuse']>[0];

export type Ledger = {
  /** Reserves the price of a call. At once where this broker has a lease with room. */
  hold(call: PricedCall): LeaseHold | Promise<LeaseHold | NoLease>;
  /** What a person has. Of leases, only what calls hold counts as held; of other brokers', who alone know that, all. */
  account(userId: string): Promise<CreditAccount>;
  /**
   * Sets the balance to an administrator's figure; asks brokers for what they do not use when they hold more than that.
   * Leaves an audit row.
   * @param by who decided: a user's id, or the name of an operator who has none
   * @param before comes first in the transaction of the change, and may refuse it
   * @throws LedgerConflict
   */
  setBalance(
    change: Omit<NewBalance, 'livemode'>,
    by: { actorId: string } | { operator: string },
    before?: (query: Query) => Promise<void>,
  ): Promise<number>;
  /**
   * Limits what calls of a person may spend in a month (UTC). Waits up to 250 ms for leases that go beyond it.
   * @param cap whole credits; undefined: no limit
   */
  setMonthlyCap(userId: string, cap: number | undefined): Promise<void>;
  /** Resolves when what ended so far is in the database. */
  flush(): Promise<void>;
  stop(): Promise<void>;
};
