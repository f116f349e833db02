import type { Database } from '#platform/db/database.ts';
import type { Log } from '#platform/log.ts';
import type { Livemode } from './accounts/accounts.ts';
import { reclaimLeases } from './broker-beats.ts';
import type { BrokerLife } from './broker-life.ts';
import { grantLeases } from './leases/grant-leases.ts';
import type { LeaseBook } from './leases/lease-book.ts';
import { trimLeases } from './leases/trim-leases.ts';
import type { LedgerTimes } from './ledger.ts';
import { logRefused } from './settle/settlements.ts';

export type ExchangeParts = {
  db: Database;
  livemode: Livemode;
  book: LeaseBook;
  life: BrokerLife;
  times: LedgerTimes;
  log: Log;
};

/** Sends a heartbeat if it is due, and reclaims the leases of dead brokers with it. @returns whether it was sent */
export async function sendHeartbeat({ db, book, life, times, log }: ExchangeParts): Promise<boolean> {
  if (!book.isEmpty) life.wasActive();
  const leases = await life.beat(db.query);
  if (!leases) return false;
  for (const { leaseId, userId, isAsked } of leases) {
    if (isAsked) book.drainUser(userId);
    book.returnUnknown(leaseId, userId);
  }
  const { batches, leases: reclaimed } = await reclaimLeases(db, life.id, times.lifeMs, (call, error) =>
    logRefused(log, call, error),
  );
  // there may be more
  if (batches + reclaimed > 0) life.wasActive();
  if (reclaimed > 0) log.warn({ leases: reclaimed }, 'leases of brokers that ended or froze were reclaimed');
  return true;
}

export async function returnUnused({ db, livemode, book, life }: ExchangeParts): Promise<void> {
  const trims = book.trims();
  if (trims.length === 0) return;
  const users = await trimLeases(db.query, livemode, life.id, trims);
  for (const one of trims) if (users.has(one.userId)) book.trimmed(one);
}

export async function requestLeases({ db, livemode, book, life }: ExchangeParts): Promise<void> {
  if (!life.isAlive) return;
  const asks = book.asks();
  if (asks.length === 0) return;
  let answers;
  try {
    answers = await grantLeases(db.query, livemode, life.id, asks);
  } catch (error) {
    for (const ask of asks) book.lose(ask);
    throw error;
  }
  const byLease = new Map(answers.map((answer) => [answer.leaseId, answer]));
  for (const ask of asks) book.answer(ask, byLease.get(ask.leaseId));
}

/** Starts over under a new id, after another broker has declared this one dead. An idle broker had no leases. */
export function startOver({ book, life, log }: ExchangeParts): void {
  const leases = book.forgetAll();
  if (leases > 0)
    log.warn({ brokerId: life.id, leases }, 'another broker declared this one dead and reclaimed its leases');
  life.restart();
}
