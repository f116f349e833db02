import type { OwnFacts } from '#platform/own-meta.ts';
import type { UsageRow } from './usage-row.ts';

export type PricedCall = {
  /** Id of the logical call, shared by all rounds of a call that asks for input. */
  callId: string;
  userId: string;
  serverId: string;
  /** The server's own name of the tool. */
  tool: string;
  /** Whole credits, 0 for a free tool. */
  credits: number;
  /** A further round of a call that asked its client for input: refused if the call has been charged. */
  isContinued?: boolean;
};

/** Credits reserved for one call. Exactly one of settle, settleAbort and release is called, once. */
export type Hold = {
  readonly kind: 'hold';
  /** The credits that settle charges. */
  readonly credits: number;
  /** Credits that the user has left for other calls, as far as this broker knows; undefined for a free call. */
  readonly available: number | undefined;
  /** The credits were reclaimed, or may have been: the call can no longer be charged, and must be released. */
  readonly isLost: boolean;
  /**
   * Charges the hold after a result, and records the call in the same transaction. Written with the next flush.
   * @returns undefined: the call may be answered at once. Otherwise a promise that resolves, within a second, when it may be
   *   answered: too many answered calls are not recorded yet (I3)
   */
  settle(row: UsageRow): Promise<void> | undefined;
  /**
   * Ends the hold of a call that its client aborted after it was dispatched: free at most five times an hour per user, then
   * charged, because the server has worked. `row` has the credits to charge; written with the next flush.
   */
  settleAbort(row: UsageRow): void;
  /** Releases all credits of a call without a result. `reason` is that of the call's usage row, which the caller records. */
  release(reason: string): void;
};

/** A call without a hold. It is not dispatched, and the server is not contacted. */
export type Refusal = {
  readonly kind: 'refusal';
  /** Machine-readable, for `souk/code` in `_meta` and the usage row. */
  readonly code: string;
  /** Tells the user what happened and what to do. */
  readonly text: string;
  /** Facts for programs, in `_meta` next to the code. */
  readonly facts?: Pick<OwnFacts, 'required' | 'available' | 'topUpUrl' | 'url' | 'old' | 'new'>;
};

/** The port through which the gateway charges for calls. */
export type Charges = {
  /**
   * Reserves the price of a call. Returns the hold at once where no database access is needed, otherwise a promise that
   * resolves when the hold is durable.
   * @throws SoukError unavailable when the ledger cannot be reached: the call must not be dispatched
   */
  hold(call: PricedCall): Hold | Refusal | Promise<Hold | Refusal>;
  record(row: UsageRow): void;
};
