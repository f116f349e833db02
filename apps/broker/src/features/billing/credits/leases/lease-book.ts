import { AccountBook } from './account-book.ts';
import type { LeaseAnswer, LeaseAsk } from './grant-leases.ts';
import type { LeaseTrim } from './trim-leases.ts';
import type { Lease, LeasePolicy, LeaseTimes, Waiter } from './lease.ts';

/** Accounts, and leases, of one statement. */
const most = 256;

type Parts = {
  uuid: () => string;
  policy: LeasePolicy;
  times: LeaseTimes;
  /** Elapsed time. */
  nowMs: () => number;
};

/**
 * What this broker may spend without asking, and who waits for more. It knows no database: create-ledger.ts brings what it
 * asks for and gives back what it trims.
 */
export class LeaseBook {
  readonly #parts: Parts;
  readonly #books = new Map<string, AccountBook>();
  /** Every lease that the database may still have for this broker. */
  readonly #leases = new Map<string, Lease>();
  /** Leases to be trimmed: lease id -> user. Also those whose grant may have been lost on the way back. */
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

  /** Takes credits from an open lease, unless others wait. */
  take(userId: string, credits: number): Lease | undefined {
    return this.#books.get(userId)?.take(credits);
  }

  wait(waiter: Waiter): void {
    this.#bookOf(waiter.userId).wait(waiter);
  }

  /** A call was not charged: its credits are free again for others, or go back. */
  release(lease: Lease, credits: number): void {
    lease.handed -= credits;
    lease.available += credits;
    lease.unfinished -= 1;
    if (lease.isDraining) this.#trims.set(lease.id, lease.userId);
  }

  /** The database knows how a charged call ended. */
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

  /** Drains what was not used for a while, and what is old. */
  drainIdle(): void {
    const { times, nowMs } = this.#parts;
    const now = nowMs();
    for (const lease of this.#leases.values()) {
      if (now - lease.usedAtMs > times.idleMs || now - lease.bornAtMs > times.ageMs) this.#drain(lease);
    }
  }

  /** Before anything is given back: serves who waits, and a rest that covers none of them goes back. */
  prepare(): void {
    for (const book of this.#books.values()) {
      if (book.isWaiting) book.serve();
      if (book.isWaiting) for (const lease of book.open) this.#drain(lease);
    }
  }

  /** What to ask for now. An account whose credits are on their way back is asked again once they are back. */
  asks(): LeaseAsk[] {
    const { uuid, policy } = this.#parts;
    const returning = new Set(this.#trims.values());
    const asks: LeaseAsk[] = [];
    for (const [userId, book] of this.#books) {
      if (asks.length === most) break;
      const ask = returning.has(userId) ? undefined : book.ask(uuid, policy);
      if (ask) asks.push(ask);
    }
    return asks;
  }

  /** The database's answer to an ask; undefined: another transaction has the account. */
  answer(ask: LeaseAsk, answer: LeaseAnswer | undefined): void {
    const book = this.#bookOf(ask.userId);
    if (!answer) return book.wasBusy();
    const lease = answer.granted > 0 ? this.#add(ask, answer) : undefined;
    if (lease) book.granted(lease, ask);
    const handed = lease?.handed ?? 0;
    // a lease of exactly what was needed has nothing for others; what its calls release goes back at once
    if (lease && answer.granted <= ask.demand) this.#drain(lease);
    book.answerTheRest(ask, answer, handed, [...this.#trims.values()].includes(ask.userId));
    this.#dropIfEmpty(ask.userId, book);
  }

  /** The ask may have been granted or not: a lease that it brought goes back, and the call asks again. */
  lose(ask: LeaseAsk): void {
    this.#trims.set(ask.leaseId, ask.userId);
  }

  /** A lease that the database has and this broker does not know. */
  giveBack(leaseId: string, userId: string): void {
    if (!this.#leases.has(leaseId)) this.#trims.set(leaseId, userId);
  }

  trims(): LeaseTrim[] {
    return [...this.#trims]
      .slice(0, most)
      .map(([leaseId, userId]) => ({ leaseId, userId, keep: this.#leases.get(leaseId)?.handed ?? 0 }));
  }

  /** The database has trimmed this lease. */
  trimmed({ leaseId, keep }: LeaseTrim): void {
    const lease = this.#leases.get(leaseId);
    if (lease) lease.granted = Math.min(lease.granted, keep);
    // a call was released meanwhile: once more
    if (lease && lease.handed < lease.granted) return;
    this.#trims.delete(leaseId);
    if (lease) this.#forgetIfOver(lease);
  }

  /** Refuses those that have waited for too long. @param isRefused the database does not take what is written now */
  giveUp(isRefused: boolean): void {
    const { patienceMs, answerMs, refusedMs } = this.#parts.times;
    for (const [userId, book] of this.#books) {
      book.giveUp(patienceMs, isRefused ? Math.min(refusedMs, answerMs) : answerMs);
      this.#dropIfEmpty(userId, book);
    }
  }

  /**
   * Others have taken this broker's leases back. Calls under way on them are recorded and not charged.
   * @returns how many leases there were
   */
  forgetAll(): number {
    const { size } = this.#leases;
    for (const lease of this.#leases.values()) {
      lease.isDraining = true;
      lease.isGone = true;
    }
    for (const [userId, book] of this.#books) {
      book.closeAll();
      this.#dropIfEmpty(userId, book);
    }
    this.#leases.clear();
    this.#trims.clear();
    return size;
  }

  /** What no call holds of a lease that the database has with so many credits; 0 of other brokers' leases. */
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
    const lease = { id, userId, ...counts, bornAtMs: now, usedAtMs: now, isDraining: false, isGone: false };
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
