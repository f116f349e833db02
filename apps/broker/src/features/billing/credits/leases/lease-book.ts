import type { LeaseAnswer, LeaseAsk } from './grant-leases.ts';
import type { LeaseTrim } from './trim-leases.ts';
import type { Lease, LeasePolicy, LeaseTimes, ShortOfCredits, Waiter } from './lease.ts';

type Book = {
  open: Lease[];
  waiting: Waiter[];
  /** The extra of the last grant, and when that was. */
  lastExtra: number;
  grantedAtMs: number;
  againAtMs: number;
  /** Why the oldest waiter still waits. */
  short: ShortOfCredits | { kind: 'under_way' } | undefined;
};

/** The pause before an account is asked about again: when others give back, and when it was busy. */
const askAgainMs = 25;
const busyMs = 2;
const most = 256;

/**
 * What this broker may spend without asking, and who waits for more. It knows no database: create-ledger.ts brings what it
 * asks for and gives back what it trims.
 */
export function createLeaseBook({
  uuid,
  policy,
  times,
  nowMs,
}: {
  uuid: () => string;
  policy: LeasePolicy;
  times: LeaseTimes;
  /** Elapsed time. */
  nowMs: () => number;
}) {
  const books = new Map<string, Book>();
  /** Every lease that the database may still have for this broker. */
  const leases = new Map<string, Lease>();
  /** Leases to be trimmed: lease id -> user. Also those whose grant may have been lost on the way back. */
  const trims = new Map<string, string>();

  function bookOf(userId: string): Book {
    let book = books.get(userId);
    if (!book) {
      book = { open: [], waiting: [], lastExtra: 0, grantedAtMs: -Infinity, againAtMs: 0, short: undefined };
      books.set(userId, book);
    }
    return book;
  }

  function dropIfEmpty(userId: string, book: Book): void {
    if (book.open.length === 0 && book.waiting.length === 0) books.delete(userId);
  }

  function takeFrom(book: Book, credits: number): Lease | undefined {
    const lease = book.open.find((one) => one.granted - one.handed >= credits);
    if (lease) hand(lease, credits);
    return lease;
  }

  function hand(lease: Lease, credits: number): void {
    lease.handed += credits;
    lease.available -= credits;
    lease.unfinished += 1;
    lease.usedAtMs = nowMs();
  }

  function drain(lease: Lease): void {
    if (lease.isDraining) return;
    lease.isDraining = true;
    const book = books.get(lease.userId);
    if (book) {
      book.open = book.open.filter((one) => one !== lease);
      dropIfEmpty(lease.userId, book);
    }
    if (lease.granted > lease.handed) trims.set(lease.id, lease.userId);
  }

  function forgetIfOver(lease: Lease): void {
    const isOver = lease.isDraining && lease.unfinished === 0 && lease.granted === lease.handed;
    if (isOver && !trims.has(lease.id)) leases.delete(lease.id);
  }

  /** Gives leases to those that wait, in their order; one that needs more than there is does not stop the others. */
  function serve(book: Book): void {
    book.waiting = book.waiting.filter((waiter) => {
      const lease = waiter.roundsOf === undefined ? takeFrom(book, waiter.credits) : undefined;
      if (lease) waiter.resolve(lease);
      return !lease;
    });
  }

  function refuse(book: Book, isRefused: (waiter: Waiter) => boolean, why: Parameters<Waiter['refuse']>[0]): void {
    const refused = book.waiting.filter(isRefused);
    book.waiting = book.waiting.filter((waiter) => !refused.includes(waiter));
    for (const waiter of refused) waiter.refuse(why);
  }

  /** What the calls of one account need; of a call of several rounds nothing else is asked for with it. */
  function askFor(userId: string, book: Book): LeaseAsk | undefined {
    const [first] = book.waiting;
    if (!first) return undefined;
    const alone = first.roundsOf !== undefined;
    const prices = alone
      ? [first.credits]
      : book.waiting.filter(({ roundsOf }) => roundsOf === undefined).map(({ credits }) => credits);
    const need = Math.min(...prices);
    const facts = { price: need, lastExtra: book.lastExtra, lastGrantAgeMs: nowMs() - book.grantedAtMs };
    const extra = alone ? 0 : policy(facts);
    if (!alone) book.lastExtra = extra;
    return {
      leaseId: uuid(),
      userId,
      need,
      demand: prices.reduce((sum, price) => sum + price, 0),
      extra,
      callId: first.roundsOf,
    };
  }

  return {
    /** Takes credits from an open lease, unless others wait. */
    take(userId: string, credits: number): Lease | undefined {
      const book = books.get(userId);
      return book && book.waiting.length === 0 ? takeFrom(book, credits) : undefined;
    },
    wait: (waiter: Waiter) => void bookOf(waiter.userId).waiting.push(waiter),
    /** A call was not charged: its credits are free again for others, or go back. */
    release(lease: Lease, credits: number): void {
      lease.handed -= credits;
      lease.available += credits;
      lease.unfinished -= 1;
      if (lease.isDraining) trims.set(lease.id, lease.userId);
    },
    /** The database knows how a charged call ended. */
    finish(lease: Lease): void {
      lease.unfinished -= 1;
      forgetIfOver(lease);
    },
    drainUser(userId: string): void {
      for (const lease of books.get(userId)?.open ?? []) drain(lease);
    },
    drainAll(): void {
      for (const lease of leases.values()) drain(lease);
    },
    /** Drains what was not used for a while, and what is old. */
    drainIdle(): void {
      const now = nowMs();
      for (const lease of leases.values()) {
        if (now - lease.usedAtMs > times.idleMs || now - lease.bornAtMs > times.ageMs) drain(lease);
      }
    },
    /** Before anything is given back: serves who waits, and a rest that covers none of them goes back. */
    prepare(): void {
      for (const book of books.values()) {
        if (book.waiting.length > 0) serve(book);
        if (book.waiting.length > 0) for (const lease of book.open) drain(lease);
      }
    },
    /** What to ask for now. An account whose credits are on their way back is asked again once they are back. */
    asks(): LeaseAsk[] {
      const now = nowMs();
      const returning = new Set(trims.values());
      const asks: LeaseAsk[] = [];
      for (const [userId, book] of books) {
        if (asks.length === most) break;
        if (book.waiting.length === 0 || book.againAtMs > now || returning.has(userId)) continue;
        const ask = askFor(userId, book);
        if (ask) asks.push(ask);
      }
      return asks;
    },
    /** The database's answer to an ask. */
    answer(ask: LeaseAsk, answer: LeaseAnswer | undefined): void {
      const book = bookOf(ask.userId);
      const now = nowMs();
      let handed = 0;
      if (!answer) {
        book.againAtMs = now + busyMs;
        return;
      }
      if (answer.granted > 0) {
        const lease: Lease = {
          id: ask.leaseId,
          userId: ask.userId,
          granted: answer.granted,
          handed: 0,
          unfinished: 0,
          available: answer.available,
          bornAtMs: now,
          usedAtMs: now,
          isDraining: false,
          isGone: false,
        };
        leases.set(lease.id, lease);
        book.grantedAtMs = now;
        const own = ask.callId === undefined ? undefined : book.waiting.find(({ roundsOf }) => roundsOf === ask.callId);
        if (own) {
          book.waiting = book.waiting.filter((waiter) => waiter !== own);
          hand(lease, own.credits);
          own.resolve(lease);
        } else if (ask.callId === undefined) {
          book.open.push(lease);
          serve(book);
        }
        handed = lease.handed;
        // a lease of exactly what was needed has nothing for others; what its calls release goes back at once
        if (answer.granted <= ask.demand) drain(lease);
      }
      answerTheRest(ask, answer, handed);
      dropIfEmpty(ask.userId, book);
    },
    /** The ask may have been granted or not: a lease that it brought goes back, and the call asks again. */
    lose(ask: LeaseAsk): void {
      trims.set(ask.leaseId, ask.userId);
    },
    /** A lease that the database has and this broker does not know. */
    giveBack(leaseId: string, userId: string): void {
      if (!leases.has(leaseId)) trims.set(leaseId, userId);
    },
    trims: (): LeaseTrim[] =>
      [...trims]
        .slice(0, most)
        .map(([leaseId, userId]) => ({ leaseId, userId, keep: leases.get(leaseId)?.handed ?? 0 })),
    /** The database has trimmed this lease. */
    trimmed({ leaseId, keep }: LeaseTrim): void {
      const lease = leases.get(leaseId);
      if (lease) lease.granted = Math.min(lease.granted, keep);
      // a call was released meanwhile: once more
      if (lease && lease.handed < lease.granted) return;
      trims.delete(leaseId);
      if (lease) forgetIfOver(lease);
    },
    /** Refuses those that have waited for too long. */
    giveUp(isRefused: boolean): void {
      const now = nowMs();
      const answerMs = isRefused ? Math.min(times.refusedMs, times.answerMs) : times.answerMs;
      for (const [userId, book] of books) {
        const patienceMs = book.short ? times.patienceMs : answerMs;
        const isLate = (waiter: Waiter) => now - waiter.sinceMs > patienceMs;
        if (book.waiting.some(isLate)) refuse(book, isLate, book.short ?? { kind: 'unavailable' });
        dropIfEmpty(userId, book);
      }
    },
    /**
     * Others have taken this broker's leases back. Calls under way on them are recorded and not charged.
     * @returns how many leases there were
     */
    forgetAll(): number {
      const { size } = leases;
      for (const lease of leases.values()) {
        lease.isDraining = true;
        lease.isGone = true;
      }
      for (const [userId, book] of books) {
        book.open = [];
        dropIfEmpty(userId, book);
      }
      leases.clear();
      trims.clear();
      return size;
    },
    has: (leaseId: string) => leases.has(leaseId),
    /** What no call holds of a lease that the database has with so many credits; 0 of other brokers' leases. */
    restOf(leaseId: string, granted: number): number {
      const lease = leases.get(leaseId);
      return lease ? Math.max(0, granted - lease.handed) : 0;
    },
    isWaiting: () => [...books.values()].some((book) => book.waiting.length > 0),
    hasTrims: () => trims.size > 0,
    isEmpty: () => books.size === 0 && leases.size === 0 && trims.size === 0,
  };

  /**
   * Those that the answer leaves without a lease wait for what others give back, or are refused.
   * @param handed what calls took of the lease of this answer
   */
  function answerTheRest(ask: LeaseAsk, answer: LeaseAnswer, handed: number): void {
    const book = bookOf(ask.userId);
    const isAsked = ({ roundsOf }: Waiter) => roundsOf === ask.callId;
    const left = answer.free - handed;
    book.short = undefined;
    book.againAtMs = 0;
    if (answer.isSettled) return refuse(book, isAsked, { kind: 'settled' });
    if (answer.granted >= ask.demand) return;
    const underCap = answer.underCap === undefined ? undefined : answer.underCap - handed;
    book.short = answer.isUnderWay
      ? { kind: 'under_way' }
      : { kind: 'insufficient', available: answer.available - handed, underCap };
    book.againAtMs = nowMs() + askAgainMs;
    const mayComeBack = answer.expected > 0 || [...trims.values()].includes(ask.userId);
    if (answer.isUnderWay || mayComeBack) return;
    refuse(book, (waiter) => isAsked(waiter) && waiter.credits > left, book.short);
    book.againAtMs = 0;
  }
}
