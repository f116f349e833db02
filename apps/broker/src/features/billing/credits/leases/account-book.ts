import type { LeaseAnswer, LeaseAsk } from './grant-leases.ts';
import type { Lease, LeasePolicy, ShortOfCredits, Waiter } from './lease.ts';

/** Pauses before a lease is requested again: while others return theirs, and after the account was locked. */
const askAgainMs = 25;
const busyMs = 2;

/** The leases of one account, and the calls that wait for more. A class, because each caller has one. */
export class AccountBook {
  readonly #userId: string;
  readonly #nowMs: () => number;
  #open: Lease[] = [];
  #waiting: Waiter[] = [];
  #lastExtra = 0;
  #grantedAtMs = -Infinity;
  #againAtMs = 0;
  /** Why the oldest call still waits. */
  #short: ShortOfCredits | { kind: 'under_way' } | undefined;

  /** @param nowMs elapsed time */
  constructor(userId: string, nowMs: () => number) {
    this.#userId = userId;
    this.#nowMs = nowMs;
  }

  get open(): readonly Lease[] {
    return this.#open;
  }

  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  get isEmpty(): boolean {
    return this.#open.length === 0 && this.#waiting.length === 0;
  }

  take(credits: number): Lease | undefined {
    return this.isWaiting ? undefined : this.#takeFromOpen(credits);
  }

  wait(waiter: Waiter): void {
    this.#waiting.push(waiter);
  }

  close(lease: Lease): void {
    this.#open = this.#open.filter((one) => one !== lease);
  }

  closeAll(): void {
    this.#open = [];
  }

  /** Gives leases to the waiting calls in their order; a call that needs too much does not stop the others. */
  serve(): void {
    this.#waiting = this.#waiting.filter((waiter) => {
      const lease = waiter.roundsOf === undefined ? this.#takeFromOpen(waiter.credits) : undefined;
      if (lease) waiter.resolve(lease);
      return !lease;
    });
  }

  /** Returns the request for a lease; undefined where none is due. A call of several rounds requests a lease of its own. */
  ask(uuid: () => string, policy: LeasePolicy): LeaseAsk | undefined {
    const [first] = this.#waiting;
    if (!first || this.#againAtMs > this.#nowMs()) return undefined;
    const alone = first.roundsOf !== undefined;
    const prices = alone
      ? [first.credits]
      : this.#waiting.filter(({ roundsOf }) => roundsOf === undefined).map(({ credits }) => credits);
    const need = Math.min(...prices);
    const facts = { price: need, lastExtra: this.#lastExtra, lastGrantAgeMs: this.#nowMs() - this.#grantedAtMs };
    const extra = alone ? 0 : policy(facts);
    if (!alone) this.#lastExtra = extra;
    return {
      leaseId: uuid(),
      userId: this.#userId,
      need,
      demand: prices.reduce((sum, price) => sum + price, 0),
      extra,
      callId: first.roundsOf,
    };
  }

  /** Repeats the request in a moment, because another transaction had locked the account. */
  wasBusy(): void {
    this.#againAtMs = this.#nowMs() + busyMs;
  }

  /** Adds a granted lease, for one call of several rounds or for all other calls. */
  granted(lease: Lease, { callId }: LeaseAsk): void {
    this.#grantedAtMs = this.#nowMs();
    if (callId === undefined) {
      this.#open.push(lease);
      this.serve();
      return;
    }
    const own = this.#waiting.find(({ roundsOf }) => roundsOf === callId);
    if (!own) return;
    this.#waiting = this.#waiting.filter((waiter) => waiter !== own);
    this.#hand(lease, own.credits);
    own.resolve(lease);
  }

  /**
   * Refuses the calls that the answer leaves without a lease, or lets them wait for the returns of others.
   * @param handed credits that calls took from the lease of this answer
   * @param isReturning this broker is returning credits to the account
   */
  answerTheRest(ask: LeaseAsk, answer: LeaseAnswer, handed: number, isReturning: boolean): void {
    const isAsked = ({ roundsOf }: Waiter) => roundsOf === ask.callId;
    const left = answer.free - handed;
    this.#short = undefined;
    this.#againAtMs = 0;
    if (answer.isSettled) return this.#refuse(isAsked, { kind: 'settled' });
    if (answer.granted >= ask.demand) return;
    const underCap = answer.underCap === undefined ? undefined : answer.underCap - handed;
    this.#short = answer.isUnderWay
      ? { kind: 'under_way' }
      : { kind: 'insufficient', available: answer.available - handed, underCap };
    this.#againAtMs = this.#nowMs() + askAgainMs;
    if (answer.isUnderWay || answer.expected > 0 || isReturning) return;
    this.#refuse((waiter) => isAsked(waiter) && waiter.credits > left, this.#short);
    this.#againAtMs = 0;
  }

  /**
   * Refuses calls that have waited too long.
   * @param patienceMs how long a call waits for the returns of others
   * @param answerMs how long it waits for the database
   */
  giveUp(patienceMs: number, answerMs: number): void {
    const now = this.#nowMs();
    const longestMs = this.#short ? patienceMs : answerMs;
    const isLate = (waiter: Waiter) => now - waiter.sinceMs > longestMs;
    if (this.#waiting.some(isLate)) this.#refuse(isLate, this.#short ?? { kind: 'unavailable' });
  }

  #takeFromOpen(credits: number): Lease | undefined {
    const lease = this.#open.find((one) => one.granted - one.handed >= credits);
    if (lease) this.#hand(lease, credits);
    return lease;
  }

  #hand(lease: Lease, credits: number): void {
    lease.handed += credits;
    lease.available -= credits;
    lease.unfinished += 1;
    lease.usedAtMs = this.#nowMs();
  }

  #refuse(isRefused: (waiter: Waiter) => boolean, why: Parameters<Waiter['refuse']>[0]): void {
    const refused = this.#waiting.filter(isRefused);
    this.#waiting = this.#waiting.filter((waiter) => !refused.includes(waiter));
    for (const waiter of refused) waiter.refuse(why);
  }
}
