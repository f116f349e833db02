import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { systemClock } from '#platform/clock.ts';
import { DatabaseLostError } from '#platform/db/database-errors.ts';
import type { Database } from '#platform/db/database.ts';
import type { UsageRows } from '../../usage-rows.ts';
import { createLedger } from '../create-ledger.ts';
import type { LeasePolicy } from '../lease.ts';
import { ledgerTimes, type Ledger } from '../ledger.ts';

const log = pino({ level: 'silent' });

/** A database whose next transaction can fail, and which can be cut off for good. */
function faulty(db: Database) {
  let next: 'before' | 'after' | undefined;
  let isCut = false;
  const lost = () => new DatabaseLostError('injected');
  return {
    fail: (when: 'before' | 'after') => (next = when),
    cut: () => (isCut = true),
    db: {
      ...db,
      query: ((text, values) => (isCut ? Promise.reject(lost()) : db.query(text, values))) as Database['query'],
      async transaction<T>(work: Parameters<typeof db.transaction<T>>[0]): Promise<T> {
        const when = next;
        next = undefined;
        if (isCut || when === 'before') throw lost();
        const result = await db.transaction(work);
        if (when === 'after') throw lost();
        return result;
      },
    },
  };
}

/** A broker whose statements can fail, before or after their commit, and that can be killed. */
export async function startFaultyBroker(db: Database, usage: UsageRows, policy: LeasePolicy) {
  const faults = faulty(db);
  const ids: string[] = [];
  const uuid = () => {
    const id = randomUUID();
    ids.push(id);
    return id;
  };
  const times = { ...ledgerTimes, stopMs: 0 };
  const options = { db: faults.db, livemode: false, usage, uuid, clock: systemClock, log, policy, times };
  return { ledger: await createLedger(options), faults, ids, policy };
}
export type FaultyBroker = Awaited<ReturnType<typeof startFaultyBroker>>;
/** Until everything is written: what failed is tried again. */
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
