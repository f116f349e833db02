import { AccountBook } from './account-book.ts';
import type { LeaseAnswer, LeaseAsk } from './grant-leases.ts';
import type { LeaseTrim } from './trim-leases.ts';
import type { Lease, LeasePolicy, LeaseTimes, Waiter } from './lease.ts';

/** Accounts or leases per statement. */
const maxPerStatement = 256;

type Parts = {
  uuid: () => string;
  policy: LeasePolicy;
  times: LeaseTimes;
  nowMs: () => number;
};

/**
 * The leases of this broker, and the calls that wait for more. It does not use the database: lease-exchange.ts requests leases
 * for it and returns unused ones.
 */
export class LeaseBook {
  readonly #parts: Parts;
  readonly #books = new Map<string, AccountBook>();
  /** Every lease that the database may still have for this broker. */
  readonly #leases = new Map<string, Lease>();
  /** Leases to be trimmed: lease id -> user. Also leases whose grant may have been lost on the way. */
  readonly #trims = new Map<string, string>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get isWaiting(): boolean {
    return [...this.#books.values()].some((book) => book.isWaiting);
  }

  get hasTrims(): boolean {
    return this.#trims.size > 0;
  }

  get isEmpty(): boolean {
    return this.#books.size === 0 && this.#leases.size === 0 && this.#trims.size === 0;
  }

  take(userId: string, credits: number): Lease | undefined {
    return this.#books.get(userId)?.take(credits);
  }

  wait(waiter: Waiter): void {
    this.#bookOf(waiter.userId).wait(waiter);
  }

  /** Frees the credits of a call that was not charged, for other calls or to be returned. */
  release(lease: Lease, credits: number): void {
    lease.handed -= credits;
    lease.available += credits;
    lease.unfinished -= 1;
    if (lease.isDraining) this.#trims.set(lease.id, lease.userId);
  }

  finish(lease: Lease): void {
    lease.unfinished -= 1;
    this.#forgetIfOver(lease);
  }

  drainUser(userId: string): void {
    for (const lease of this.#books.get(userId)?.open ?? []) this.#drain(lease);
  }

  drainAll(): void {
    for (const lease of this.#leases.values()) this.#drain(lease);
  }

  drainIdle(): void {
    const { times, nowMs } = this.#parts;
    const now = nowMs();
    for (const lease of this.#leases.values()) {
      if (now - lease.usedAtMs > times.idleMs || now - lease.grantedAtMs > times.ageMs) this.#drain(lease);
    }
  }

  /** Serves the waiting calls before anything is returned, and drains leases that cover none of them. */
  prepare(): void {
    for (const book of this.#books.values()) {
      if (book.isWaiting) book.serve();
      if (book.isWaiting) for (const lease of book.open) this.#drain(lease);
    }
  }

  /** Returns the requests for leases. An account with a pending return waits until it is done. */
  asks(): LeaseAsk[] {
    const { uuid, policy } = this.#parts;
    const returning = new Set(this.#trims.values());
    const asks: LeaseAsk[] = [];
    for (const [userId, book] of this.#books) {
      if (asks.length === maxPerStatement) break;
      const ask = returning.has(userId) ? undefined : book.ask(uuid, policy);
      if (ask) asks.push(ask);
    }
    return asks;
  }

  /** Applies the database's answer to a request; undefined: another transaction had locked the account. */
  answer(ask: LeaseAsk, answer: LeaseAnswer | undefined): void {
    const book = this.#bookOf(ask.userId);
    if (!answer) return book.wasBusy();
    const lease = answer.granted > 0 ? this.#add(ask, answer) : undefined;
    if (lease) book.granted(lease, ask);
    const handed = lease?.handed ?? 0;
    // a lease of exactly what was needed has nothing for other calls; what its calls release is returned at once
    if (lease && answer.granted <= ask.demand) this.#drain(lease);
    book.answerTheRest(ask, answer, handed, [...this.#trims.values()].includes(ask.userId));
    this.#dropIfEmpty(ask.userId, book);
  }

  /** Handles a request that got no answer: a lease that may have been granted is returned, and the call requests another one. */
  lose(ask: LeaseAsk): void {
    this.#trims.set(ask.leaseId, ask.userId);
  }

  /** Returns a lease of the database that this broker does not know. */
  returnUnknown(leaseId: string, userId: string): void {
    if (!this.#leases.has(leaseId)) this.#trims.set(leaseId, userId);
  }

  trims(): LeaseTrim[] {
    return [...this.#trims]
      .slice(0, maxPerStatement)
      .map(([leaseId, userId]) => ({ leaseId, userId, keep: this.#leases.get(leaseId)?.handed ?? 0 }));
  }

  trimmed({ leaseId, keep }: LeaseTrim): void {
    const lease = this.#leases.get(leaseId);
    if (lease) lease.granted = Math.min(lease.granted, keep);
    // a call was released meanwhile: trim again
    if (lease && lease.handed < lease.granted) return;
    this.#trims.delete(leaseId);
    if (lease) this.#forgetIfOver(lease);
  }

  /** Refuses calls that have waited too long. @param isRefused the database does not accept writes now */
  giveUp(isRefused: boolean): void {
    const { patienceMs, answerMs, refusedMs } = this.#parts.times;
    for (const [userId, book] of this.#books) {
      book.giveUp(patienceMs, isRefused ? Math.min(refusedMs, answerMs) : answerMs);
      this.#dropIfEmpty(userId, book);
    }
  }

  /**
   * Forgets all leases, after another broker has reclaimed them. Their calls under way are recorded and not charged.
   * @returns how many leases there were
   */
  forgetAll(): number {
    const { size } = this.#leases;
    for (const lease of this.#leases.values()) {
      lease.isDraining = true;
      lease.isReclaimed = true;
    }
    for (const [userId, book] of this.#books) {
      book.closeAll();
      this.#dropIfEmpty(userId, book);
    }
    this.#leases.clear();
    this.#trims.clear();
    return size;
  }

  /** The credits of a lease that no call holds; 0 for other brokers' leases. @param granted as the database has it */
  restOf(leaseId: string, granted: number): number {
    const lease = this.#leases.get(leaseId);
    return lease ? Math.max(0, granted - lease.handed) : 0;
  }

  #bookOf(userId: string): AccountBook {
    const book = this.#books.get(userId) ?? new AccountBook(userId, this.#parts.nowMs);
    this.#books.set(userId, book);
    return book;
  }

  #dropIfEmpty(userId: string, book: AccountBook): void {
    if (book.isEmpty) this.#books.delete(userId);
  }

  #add({ leaseId: id, userId }: LeaseAsk, { granted, available }: LeaseAnswer): Lease {
    const now = this.#parts.nowMs();
    const counts = { granted, handed: 0, unfinished: 0, available };
    const lease = { id, userId, ...counts, grantedAtMs: now, usedAtMs: now, isDraining: false, isReclaimed: false };
    this.#leases.set(id, lease);
    return lease;
  }

  #drain(lease: Lease): void {
    if (lease.isDraining) return;
    lease.isDraining = true;
    const book = this.#books.get(lease.userId);
    if (book) {
      book.close(lease);
      this.#dropIfEmpty(lease.userId, book);
    }
    if (lease.granted > lease.handed) this.#trims.set(lease.id, lease.userId);
  }

  #forgetIfOver(lease: Lease): void {
    const isOver = lease.isDraining && lease.unfinished === 0 && lease.granted === lease.handed;
    if (isOver && !this.#trims.has(lease.id)) this.#leases.delete(lease.id);
  }
}
