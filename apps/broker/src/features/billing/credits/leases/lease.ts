/** Credits that an account has put aside for this broker. Inside it, hold and release are arithmetic. */
export type Lease = {
  readonly id: string;
  readonly userId: string;
  granted: number;
  /** Credits given to calls and not released: of calls under way, and of those that were or will be charged. */
  handed: number;
  /** Calls whose end the database does not know yet. */
  unfinished: number;
  /** What the account had for new leases at the grant, less what this lease has handed out since. */
  available: number;
  readonly bornAtMs: number;
  usedAtMs: number;
  /** Gives no more holds. */
  isDraining: boolean;
  /** Others have taken it back. */
  isGone: boolean;
};

/** A call that waits for a lease. */
export type Waiter = {
  readonly userId: string;
  readonly credits: number;
  /** Of a call of several rounds, its id: it gets a lease of its own. */
  readonly roundsOf: string | undefined;
  readonly sinceMs: number;
  resolve(lease: Lease): void;
  /** Another lease could not be had. */
  refuse(why: ShortOfCredits | { kind: 'settled' | 'under_way' | 'unavailable' }): void;
};

/** `available` is what the account has left, `underCap` what the month's cap leaves, if there is one. Whole credits. */
export type ShortOfCredits = { kind: 'insufficient'; available: number; underCap: number | undefined };

/** How much more than what is needed a lease should be. */
export type LeasePolicy = (facts: { price: number; lastExtra: number; lastGrantAgeMs: number }) => number;

export type LeaseTimes = {
  /** How long a call waits for what other brokers give back before it is refused. */
  patienceMs: number;
  /** How long a call waits for the database: on a busy machine, the embedded one takes seconds. */
  answerMs: number;
  /** How long a call waits while the database refuses to write, or is lost: it is answered within 2 s (I11). */
  refusedMs: number;
  /** A lease that no call has used for so long goes back. */
  idleMs: number;
  /** A lease is replaced after this time. */
  ageMs: number;
};
