import type { Identity } from '#features/identity/index.ts';
import type { Billing } from '#features/billing/index.ts';
import type { Gateway } from '#features/gateway/index.ts';
import type { Upstreams } from '#features/upstreams/index.ts';
import { dropOldPartitions, ensurePartitions, mergeUsage } from '#features/usage/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import type { Jobs } from '#platform/jobs/create-jobs.ts';

const hourSeconds = 60 * 60;
const daySeconds = 24 * hourSeconds;

/** What the features do from time to time. */
export async function scheduleJobs(
  jobs: Jobs,
  {
    db,
    clock,
    identity,
    billing,
    diagnostics,
    upstreams,
    gateway,
  }: {
    db: Database;
    clock: Clock;
    identity: Pick<Identity, 'rotateKeys' | 'reap'>;
    billing: Pick<Billing, 'checkLedger' | 'payments'>;
    diagnostics: { reap(): Promise<void> };
    upstreams: Pick<Upstreams, 'signIn'>;
    gateway: Pick<Gateway, 'removeExpiredSessions'>;
  },
): Promise<void> {
  if (db.engine === 'pglite') {
    // it has no process that does so, and its log would grow until the next stop, which a start after a kill reads whole
    await jobs.schedule('database-checkpoint', hourSeconds, () => db.query('checkpoint'));
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
    await jobs.schedule('payment-subscriptions-taken-away', 5 * 60, payments.subscriptions.endTakenAway);
  }
  await jobs.schedule('gateway-sessions', hourSeconds, gateway.removeExpiredSessions);
  await jobs.schedule('upstream-sign-ins', hourSeconds, () => upstreams.signIn.removeExpired());
}
