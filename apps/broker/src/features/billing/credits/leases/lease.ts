/** Credits that an account has reserved for this broker. Inside a lease, hold and release are arithmetic in memory. */
export type Lease = {
  readonly id: string;
  readonly userId: string;
  granted: number;
  /** Credits of its calls that are not released: under way, charged, or to be charged. */
  handed: number;
  /** Number of calls whose end the database does not know yet. */
  unfinished: number;
  /** Credits that the account had for new leases at the grant, less what this lease has handed out since. */
  available: number;
  readonly grantedAtMs: number;
  usedAtMs: number;
  isDraining: boolean;
  isReclaimed: boolean;
};

export type Waiter = {
  readonly userId: string;
  readonly credits: number;
  /** Id of a call of several rounds, which gets a lease of its own. */
  readonly roundsOf: string | undefined;
  readonly sinceMs: number;
  resolve(lease: Lease): void;
  refuse(why: ShortOfCredits | { kind: 'settled' | 'under_way' | 'unavailable' }): void;
};

/** Whole credits: `available` is what the account has left, `underCap` what the month's cap leaves, if there is one. */
export type ShortOfCredits = { kind: 'insufficient'; available: number; underCap: number | undefined };

/** Decides how many credits a lease has beyond what is needed. */
export type LeasePolicy = (facts: { price: number; lastExtra: number; lastGrantAgeMs: number }) => number;

export type LeaseTimes = {
  /** How long a call waits for other brokers' returns before it is refused. */
  patienceMs: number;
  /** How long a call waits for the database: on a busy machine, the embedded one takes seconds. */
  answerMs: number;
  /** How long a call waits while the database refuses writes, or is lost: it is answered within 2 s (I11). */
  refusedMs: number;
  /** Time without calls after which a lease is returned. */
  idleMs: number;
  /** Age at which a lease is replaced. */
  ageMs: number;
};
