import type { Query } from '#platform/db/database.ts';
import type { PricedCall } from './charges.ts';
import type { NewBalance } from './accounts/change-credits.ts';
import type { LeaseTimes, Waiter } from './leases/lease.ts';
import type { LeaseHold } from './leases/lease-hold.ts';
import type { CreditAccount } from './accounts/read-account.ts';

export type LedgerTimes = LeaseTimes & {
  /** Time within which an ended call is recorded in the database: what a kill may lose (I3). */
  noteMs: number;
  /** After ten unrecorded answers, further ones wait for their record, at most this long: the database may be silent. */
  unnotedMs: number;
  /** How long a recorded call waits to be charged together with others. */
  settleMs: number;
  beatMs: number;
  /** Silence after which a broker no longer spends its leases. */
  aliveMs: number;
  /** Silence after which others declare it dead and reclaim its leases, by the database's clock. More than aliveMs. */
  lifeMs: number;
  /** How long a stop tries to write the rest. */
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
  /** Reserves the price of a call, without a promise where this broker has a lease with enough credits. */
  hold(call: PricedCall): LeaseHold | Promise<LeaseHold | NoLease>;
  /** Reads a user's account. Of this broker's leases, only what calls hold counts as held; of other brokers' leases, everything. */
  account(userId: string): Promise<CreditAccount>;
  /**
   * Sets the balance to an administrator's figure, with an audit row. If brokers hold more than that, asks them to return what
   * they do not use.
   * @param by who decided: the id of a user, or the name of an operator, who has no id
   * @param before runs first in the transaction of the change, and may refuse it
   * @throws LedgerConflict
   */
  setBalance(
    change: Omit<NewBalance, 'livemode'>,
    by: { actorId: string } | { operator: string },
    before?: (query: Query) => Promise<void>,
  ): Promise<number>;
  /**
   * Limits what a user's calls may spend in a month (UTC). Waits up to 250 ms for leases beyond it to be returned.
   * @param cap whole credits; undefined: no limit
   */
  setMonthlyCap(userId: string, cap: number | undefined): Promise<void>;
  /** Resolves when the calls that ended so far are charged. */
  flush(): Promise<void>;
  stop(): Promise<void>;
};
