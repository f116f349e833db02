import { expireCredits, mergeFigures } from '#features/billing/index.ts';
import { countPeople, ensurePartitions, mergeUsage } from '#features/usage/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import type { Jobs } from '#platform/jobs/create-jobs.ts';

const hourSeconds = 60 * 60;
const daySeconds = 24 * hourSeconds;

type Run = () => Promise<unknown>;

/** What the features do from time to time. */
export type ScheduledWork = {
  identity: { rotateKeys: Run; reap: Run; noteExpiringTokens: Run };
  diagnostics: { reap: Run };
  billing: {
    livemode: boolean;
    checkLedger: Run;
    noteAhead: Run;
    payments:
      | {
          reconcileOrders: Run;
          findMissed: Run;
          returnFlagged: Run;
          tellAddresses: Run;
          events: { removeOld: Run };
          takeBack: { findMissedDisputes: Run };
          subscriptions: {
            reconcile: Run;
            endTakenAway: Run;
            endWanted: Run;
            endUnoffered: Run;
            returnOwed: Run;
            readAgain: Run;
          };
          clearings: { clearDue: Run };
          refunds: { payDue: Run };
          moves: { workOff: Run };
        }
      | undefined;
  };
  gateway: { removeExpiredSessions: Run };
  notices: { sendDue: Run; removeOld: Run };
  checkAlerts: Run;
  upstreams: { signIn: { removeExpired: Run } };
  imports: { updates: { check: Run } };
  retention: { removeOld: Run };
  /** undefined: the shop does not back itself up. */
  backup: { everySeconds: number; run: Run } | undefined;
};

/** Gathers the statistics of long lists: the embedded database has no autovacuum, and takes every table for a small one. */
export async function analyzeLists(db: Database): Promise<void> {
  for (const table of ['users', 'user_prefixes', 'subscriptions', 'manifest_versions', 'audit_log'])
    await db.query(`analyze ${table}`);
}

export async function scheduleJobs(
  jobs: Pick<Jobs, 'schedule'>,
  {
    db,
    clock,
    identity,
    billing,
    diagnostics,
    upstreams,
    imports,
    gateway,
    notices,
    checkAlerts,
    retention,
    backup,
  }: ScheduledWork & { db: Database; clock: Clock },
): Promise<void> {
  if (db.engine === 'pglite') {
    // it has no process that does so, and its log would grow until the next stop, which a start after a kill reads whole
    await jobs.schedule('database-checkpoint', hourSeconds, () => db.query('checkpoint'));
    await jobs.schedule('database-statistics', hourSeconds, () => analyzeLists(db));
  }
  await jobs.schedule('connection-log', 600, diagnostics.reap);
  await jobs.schedule('identity-keys', hourSeconds, identity.rotateKeys);
  await jobs.schedule('identity-reaping', hourSeconds, identity.reap);
  await jobs.schedule('usage-partitions', daySeconds, () => ensurePartitions(db, clock.now()));
  await jobs.schedule('retention', daySeconds, retention.removeOld);
  await jobs.schedule('usage-days', 120, () => mergeUsage(db));
  await jobs.schedule('usage-people', hourSeconds, () => countPeople(db, clock.now()));
  await jobs.schedule('billing-figures', 120, () => mergeFigures(db));
  await jobs.schedule('billing-expired-credits', hourSeconds, () => expireCredits(db, billing.livemode));
  await jobs.schedule('ledger-check', hourSeconds, billing.checkLedger);
  const { payments } = billing;
  if (payments) {
    await jobs.schedule('payment-orders', 5 * 60, payments.reconcileOrders);
    await jobs.schedule('payment-events', daySeconds, payments.events.removeOld);
    await jobs.schedule('payment-subscriptions', daySeconds, payments.subscriptions.reconcile);
    await jobs.schedule('payments-missed', daySeconds, async () => {
      await payments.findMissed();
      await payments.takeBack.findMissedDisputes();
    });
    await jobs.schedule('payment-addresses', 5 * 60, payments.tellAddresses);
    await jobs.schedule('payments-flagged', hourSeconds, payments.returnFlagged);
    await jobs.schedule('payment-subscriptions-taken-away', 5 * 60, payments.subscriptions.endTakenAway);
    await jobs.schedule('payment-subscriptions-ending', 5 * 60, payments.subscriptions.endWanted);
    await jobs.schedule('payment-refunds', 60, payments.refunds.payDue);
    await jobs.schedule('payment-late-returns', 60, payments.subscriptions.returnOwed);
    await jobs.schedule('payment-readings', 60, payments.subscriptions.readAgain);
    await jobs.schedule('payment-customers-deleted', 60, payments.clearings.clearDue);
    await jobs.schedule('payment-price-moves', 30, payments.moves.workOff);
    await jobs.schedule('payment-rentals-not-offered', 5 * 60, payments.subscriptions.endUnoffered);
  }
  await jobs.schedule('notices-ahead', hourSeconds, async () => {
    await identity.noteExpiringTokens();
    await billing.noteAhead();
  });
  await jobs.schedule('alerts', 60, checkAlerts);
  await jobs.schedule('notices', 30, notices.sendDue);
  await jobs.schedule('notices-old', daySeconds, notices.removeOld);
  if (backup) await jobs.schedule('backup', backup.everySeconds, backup.run);
  await jobs.schedule('gateway-sessions', hourSeconds, gateway.removeExpiredSessions);
  await jobs.schedule('registry-updates', daySeconds, () => imports.updates.check());
  await jobs.schedule('upstream-sign-ins', hourSeconds, () => upstreams.signIn.removeExpired());
}
