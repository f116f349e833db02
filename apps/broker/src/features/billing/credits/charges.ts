import type { OwnFacts } from '#platform/own-meta.ts';
import type { UsageRow } from './usage-row.ts';

/** A call that is about to be dispatched, with its price. */
export type PricedCall = {
  /** Id of the logical call: all rounds of a call that asks for input share it. */
  callId: string;
  userId: string;
  serverId: string;
  /** The server's own name of the tool. */
  tool: string;
  /** Whole credits, 0 for a free tool. */
  credits: number;
  /** A further round of a call that asked its client something: refused if the call has been charged. */
  isContinued?: boolean;
};

/** Credits reserved for one call. Exactly one of settle, settleAbort and release is called, once. */
export type Hold = {
  readonly kind: 'hold';
  /** The credits that settle charges. */
  readonly credits: number;
  /** Credits that the user has left for other calls, as this broker knows it; undefined for a free call. */
  readonly available: number | undefined;
  /** The credits have gone back meanwhile, or may have: the call cannot be charged any more, and is to be released. */
  readonly isLost: boolean;
  /**
   * Charges the hold after a result, and records the call in the same transaction. Written with the next flush.
   * @returns undefined: the call may be answered at once; else resolves when it may be, within a second, since too many answered
   *   calls are not noted yet (I3)
   */
  settle(row: UsageRow): Promise<void> | undefined;
  /**
   * Ends the hold of a call that its client aborted after it was dispatched: free at most five times an hour for a person,
   * then charged, because the server has worked. `row` has the credits that a charge costs; written with the next flush.
   */
  settleAbort(row: UsageRow): void;
  /** Gives all credits back when the call had no result. `reason` is the one in the call's usage row, which the caller records. */
  release(reason: string): void;
};

/** Why no hold was made: the call is not dispatched, and the server is not contacted. */
export type Refusal = {
  readonly kind: 'refusal';
  /** Machine-readable, for `souk/code` in `_meta` and the usage row. */
  readonly code: string;
  /** What happened and what to do, for the user. */
  readonly text: string;
  /** More for programs, in `_meta` beside the code. */
  readonly facts?: Pick<OwnFacts, 'required' | 'available' | 'topUpUrl' | 'url' | 'old' | 'new'>;
};

/** The port through which the gateway charges for calls. */
export type Charges = {
  /**
   * Reserves the price of a call. Returns the hold at once if that needs no database, otherwise a promise that resolves
   * when the hold is durable.
   * @throws SoukError unavailable when the ledger cannot be reached: the call must not be dispatched
   */
  hold(call: PricedCall): Hold | Refusal | Promise<Hold | Refusal>;
  /** Queues the record of a call that no hold has settled, and returns at once. */
  record(row: UsageRow): void;
};
