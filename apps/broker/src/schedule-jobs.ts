import { dropOldPartitions, ensurePartitions, mergeUsage } from '#features/usage/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import type { Jobs } from '#platform/jobs/create-jobs.ts';

const hourSeconds = 60 * 60;
const daySeconds = 24 * hourSeconds;

type Run = () => Promise<unknown>;

/** What the features do from time to time. */
export type ScheduledWork = {
  identity: { rotateKeys: Run; reap: Run };
  diagnostics: { reap: Run };
  billing: {
    checkLedger: Run;
    payments:
      | {
          reconcileOrders: Run;
          findMissed: Run;
          returnFlagged: Run;
          tellAddresses: Run;
          events: { removeOld: Run };
          subscriptions: { reconcile: Run; endTakenAway: Run; endWanted: Run; endUnoffered: Run };
          refunds: { payDue: Run };
        }
      | undefined;
  };
  gateway: { removeExpiredSessions: Run };
  upstreams: { signIn: { removeExpired: Run } };
};

/** Gathers the statistics of long lists: the embedded database has no autovacuum, and takes every table for a small one. */
async function analyzeLists(db: Database): Promise<void> {
  for (const table of ['users', 'user_prefixes', 'subscriptions', 'manifest_versions'])
    await db.query(`analyze ${table}`);
}

export async function scheduleJobs(
  jobs: Pick<Jobs, 'schedule'>,
  { db, clock, identity, billing, diagnostics, upstreams, gateway }: ScheduledWork & { db: Database; clock: Clock },
): Promise<void> {
  if (db.engine === 'pglite') {
    // it has no process that does so, and its log would grow until the next stop, which a start after a kill reads whole
    await jobs.schedule('database-checkpoint', hourSeconds, () => db.query('checkpoint'));
    await jobs.schedule('database-statistics', hourSeconds, () => analyzeLists(db));
  }
  await jobs.schedule('connection-log', 600, diagnostics.reap);
  await jobs.schedule('identity-keys', hourSeconds, identity.rotateKeys);
  await jobs.schedule('identity-reaping', hourSeconds, identity.reap);
  await jobs.schedule('usage-partitions', daySeconds, async () => {
    await ensurePartitions(db, clock.now());
    await dropOldPartitions(db, clock.now());
  });
  await jobs.schedule('usage-days', 120, () => mergeUsage(db));
  await jobs.schedule('ledger-check', hourSeconds, billing.checkLedger);
  const { payments } = billing;
  if (payments) {
    await jobs.schedule('payment-orders', 5 * 60, payments.reconcileOrders);
    await jobs.schedule('payment-events', daySeconds, payments.events.removeOld);
    await jobs.schedule('payment-subscriptions', daySeconds, payments.subscriptions.reconcile);
    await jobs.schedule('payments-missed', daySeconds, payments.findMissed);
    await jobs.schedule('payment-addresses', 5 * 60, payments.tellAddresses);
    await jobs.schedule('payments-flagged', hourSeconds, payments.returnFlagged);
    await jobs.schedule('payment-subscriptions-taken-away', 5 * 60, payments.subscriptions.endTakenAway);
    await jobs.schedule('payment-subscriptions-ending', 5 * 60, payments.subscriptions.endWanted);
    await jobs.schedule('payment-refunds', 60, payments.refunds.payDue);
    await jobs.schedule('payment-rentals-not-offered', 5 * 60, payments.subscriptions.endUnoffered);
  }
  await jobs.schedule('gateway-sessions', hourSeconds, gateway.removeExpiredSessions);
  await jobs.schedule('upstream-sign-ins', hourSeconds, () => upstreams.signIn.removeExpired());
}
