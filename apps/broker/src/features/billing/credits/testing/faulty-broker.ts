import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { systemClock } from '#platform/clock.ts';
import { DatabaseLostError } from '#platform/db/database-errors.ts';
import type { Database } from '#platform/db/database.ts';
import type { UsageRows } from '../usage-rows.ts';
import { createLedger } from '../create-ledger.ts';
import type { LeasePolicy } from '../leases/lease.ts';
import { ledgerTimes, type Ledger, type LedgerTimes } from '../ledger.ts';

const log = pino({ level: 'silent' });

/**
 * Matches the statements that move credits between accounts and leases, and those that record calls to be charged: one
 * statement each.
 */
export const isBatch = (text: string) => /(grant_leases|trim_leases|settle_calls)\(|into credit_ended_calls/.test(text);

/**
 * A database whose next batch can fail, whose records of ended calls can be delayed, and which can be cut off for good.
 */
function faulty(db: Database) {
  let next: 'before' | 'after' | undefined;
  let isCut = false;
  let held: { sent: PromiseWithResolvers<void>; released: PromiseWithResolvers<void> } | undefined;
  const lost = () => new DatabaseLostError('injected');
  const query: Database['query'] = async (text, values) => {
    const when = isBatch(text) ? next : undefined;
    if (when) next = undefined;
    if (isCut || when === 'before') throw lost();
    if (held && text.includes('into credit_ended_calls')) {
      held.sent.resolve();
      await held.released.promise;
    }
    const result = await db.query<never>(text, values);
    if (when === 'after') throw lost();
    return result;
  };
  return {
    fail: (when: 'before' | 'after') => (next = when),
    cut: () => (isCut = true),
    /** Delays records of ended calls. `sent` resolves when one is there. */
    holdNotes() {
      const hold = { sent: Promise.withResolvers<void>(), released: Promise.withResolvers<void>() };
      held = hold;
      return {
        sent: hold.sent.promise,
        release() {
          held = undefined;
          hold.released.resolve();
        },
      };
    },
    db: {
      ...db,
      query,
      transaction: <T>(work: Parameters<typeof db.transaction<T>>[0]): Promise<T> =>
        isCut ? Promise.reject(lost()) : db.transaction(work),
    },
  };
}

/** Starts a broker whose statements can fail, before or after their commit, and that can be killed. */
export async function startFaultyBroker(
  db: Database,
  usage: UsageRows,
  policy: LeasePolicy,
  over: Partial<LedgerTimes> = {},
) {
  const faults = faulty(db);
  const ids: string[] = [];
  const uuid = () => {
    const id = randomUUID();
    ids.push(id);
    return id;
  };
  const times = { ...ledgerTimes, stopMs: 0, ...over };
  const options = { db: faults.db, livemode: false, usage, uuid, clock: systemClock, log, policy, times };
  return { ledger: await createLedger(options), faults, ids, policy };
}
export type FaultyBroker = Awaited<ReturnType<typeof startFaultyBroker>>;
/** Waits until everything is written; failed writes are retried. */
export async function flush({ ledger }: { ledger: Ledger }): Promise<void> {
  for (let tries = 0; tries < 5; tries++) {
    const isDone = await ledger.flush().then(
      () => true,
      () => false,
    );
    if (isDone) return;
  }
  throw new Error('the ledger could not be written');
}
