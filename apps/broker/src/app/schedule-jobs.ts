import { expireCredits, mergeFigures } from '#features/billing/index.ts';
import { countPeople, ensurePartitions, mergeUsage } from '#features/usage/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import type { Jobs } from '#platform/jobs/create-jobs.ts';

const hourSeconds = 60 * 60;
const daySeconds = 24 * hourSeconds;

type Run = () => Promise<unknown>;

export type ScheduledWork = {
  identity: Record<'rotateKeys' | 'reap' | 'notifyExpiringTokens', Run>;
  diagnostics: { reap: Run };
  billing: { livemode: boolean; checkLedger: Run; notifyAhead: Run; payments: ScheduledPayments | undefined };
  gateway: { removeExpiredSessions: Run };
  notices: { sendDue: Run; removeOld: Run };
  checkAlerts: Run;
  upstreams: { signIn: { removeExpired: Run } };
  imports: { updates: { check: Run } };
  retention: { removeOld: Run };
  /** undefined: automatic backups are off. */
  backup: { everySeconds: number; run: Run } | undefined;
};

type ScheduledPayments = Record<'reconcileOrders' | 'findMissed' | 'returnFlagged' | 'sendAddresses', Run> & {
  events: { removeOld: Run };
  clawback: Record<'findMissedDisputes' | 'findMissedRefunds', Run>;
  subscriptions: Record<
    'reconcile' | 'endRevoked' | 'endWanted' | 'endUnoffered' | 'returnOwed' | 'retryReadings',
    Run
  >;
  clearings: { clearDue: Run };
  refunds: { payDue: Run };
  moves: { processDue: Run };
};

/** Updates the planner's statistics of large tables. The embedded database has no autovacuum and assumes small tables. */
export async function analyzeLists(db: Database): Promise<void> {
  for (const table of ['users', 'user_prefixes', 'subscriptions', 'manifest_versions', 'audit_log'])
    await db.query(`analyze ${table}`);
}

type Job = readonly [name: string, everySeconds: number, run: Run];

export async function scheduleJobs(
  jobs: Pick<Jobs, 'schedule'>,
  work: ScheduledWork & { db: Database; clock: Clock },
): Promise<void> {
  const { db, clock, identity, billing, diagnostics, upstreams, imports, gateway, notices, retention, backup } = work;
  const all: readonly Job[] = [
    ...(db.engine === 'pglite' ? jobsOfEmbedded(db) : []),
    ['connection-log', 600, diagnostics.reap],
    ['identity-keys', hourSeconds, identity.rotateKeys],
    ['identity-reaping', hourSeconds, identity.reap],
    ['usage-partitions', daySeconds, () => ensurePartitions(db, clock.now())],
    ['retention', daySeconds, retention.removeOld],
    ['usage-days', 120, () => mergeUsage(db)],
    ['usage-people', hourSeconds, () => countPeople(db, clock.now())],
    ['billing-figures', 120, () => mergeFigures(db)],
    ['billing-expired-credits', hourSeconds, () => expireCredits(db, billing.livemode)],
    ['ledger-check', hourSeconds, billing.checkLedger],
    ...(billing.payments ? jobsOfPayments(billing.payments) : []),
    [
      'notices-ahead',
      hourSeconds,
      async () => {
        await identity.notifyExpiringTokens();
        await billing.notifyAhead();
      },
    ],
    ['alerts', 60, work.checkAlerts],
    ['notices', 30, notices.sendDue],
    ['notices-old', daySeconds, notices.removeOld],
    ...(backup ? [['backup', backup.everySeconds, backup.run] as const] : []),
    ['gateway-sessions', hourSeconds, gateway.removeExpiredSessions],
    ['registry-updates', daySeconds, () => imports.updates.check()],
    ['upstream-sign-ins', hourSeconds, () => upstreams.signIn.removeExpired()],
  ];
  for (const [name, everySeconds, run] of all) await jobs.schedule(name, everySeconds, run);
}

/**
 * The embedded database has no background processes for these. Without checkpoints its log grows until it stops, and a start
 * after a kill reads all of it.
 */
const jobsOfEmbedded = (db: Database): Job[] => [
  ['database-checkpoint', hourSeconds, () => db.query('checkpoint')],
  ['database-statistics', hourSeconds, () => analyzeLists(db)],
];

const jobsOfPayments = (payments: ScheduledPayments): Job[] => [
  ['payment-orders', 5 * 60, payments.reconcileOrders],
  ['payment-events', daySeconds, payments.events.removeOld],
  ['payment-subscriptions', daySeconds, payments.subscriptions.reconcile],
  [
    'payments-missed',
    daySeconds,
    async () => {
      await payments.findMissed();
      await payments.clawback.findMissedDisputes();
      await payments.clawback.findMissedRefunds();
    },
  ],
  ['payment-addresses', 5 * 60, payments.sendAddresses],
  ['payments-flagged', hourSeconds, payments.returnFlagged],
  ['payment-subscriptions-taken-away', 5 * 60, payments.subscriptions.endRevoked],
  ['payment-subscriptions-ending', 5 * 60, payments.subscriptions.endWanted],
  ['payment-refunds', 60, payments.refunds.payDue],
  ['payment-late-returns', 60, payments.subscriptions.returnOwed],
  ['payment-readings', 60, payments.subscriptions.retryReadings],
  ['payment-customers-deleted', 60, payments.clearings.clearDue],
  ['payment-price-moves', 30, payments.moves.processDue],
  ['payment-rentals-not-offered', 5 * 60, payments.subscriptions.endUnoffered],
];
