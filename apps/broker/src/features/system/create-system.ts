import type { System } from '@souk/contract/admin/system.ts';
import type { ConnectionCheck } from '@souk/contract/diagnostics.ts';
import type { Clock } from '#platform/clock.ts';
import type { Config } from '#platform/config.ts';
import { readOwnBackup } from '#platform/backup/own-backups.ts';
import { freeBytesOf } from '#platform/db/embedded/disk-space-guard.ts';
import type { Database, Migration } from '#platform/db/database.ts';
import type { ListedBroker } from '#platform/db/share-of.ts';
import { SoukError } from '#platform/errors.ts';
import { hideSecrets } from '#platform/text/hide-secrets.ts';
import type { Jobs, ScheduledJob } from '#platform/jobs/create-jobs.ts';
import { readDatabase } from './read-database.ts';
import { warningsOf } from './system-warnings.ts';

export type SystemParts = {
  db: Database;
  config: Config;
  jobs: Pick<Jobs, 'list'>;
  migrations: readonly Migration[];
  version: string;
  startedAt: Date;
  /** The weakness of the master key that is in use, if any. */
  weakKey: string | undefined;
  forwardedRequests(): number;
  /** The address that the payment provider has to send events to. */
  webhookAddress: string;
  readWebhook(): Promise<{
    lastEventAt: Date | undefined;
    lastDelayMs: number | undefined;
    waiting: number;
    failing: number;
  }>;
  readNotices(): Promise<{ waiting: number; failing: number; givenUp: number; lastError: string | undefined }>;
  readLedgerCheck(): Promise<{ at: Date; differences: number } | undefined>;
  /** Offers that an administrator edited, which offers.json therefore no longer changes. */
  offersEditedHere(): Promise<readonly string[]>;
  /** Runs the checks of the operator's commands; undefined if they cannot run here. */
  runChecks: (() => Promise<ConnectionCheck[]>) | undefined;
  clock: Clock;
};

/** Applied after secrets are hidden: part of a secret would not be recognized. */
const longestMessage = 300;

/** This installation as administrators and `souk system` see it. */
export type SystemView = {
  read(): Promise<System>;
  /** Runs the checks. Concurrent callers share one run. @throws SoukError unavailable */
  check(): Promise<{ ranAt: Date; checks: ConnectionCheck[] }>;
};

export function createSystem(parts: SystemParts): SystemView {
  const { db, config, clock } = parts;
  let underWay: Promise<{ ranAt: Date; checks: ConnectionCheck[] }> | undefined;
  /** Hides secrets in texts from outside, such as errors and answers of a provider. */
  const hide = (text: string) => hideSecrets(text, config.secretValues);
  const shorten = (text: string) => hide(text).slice(0, longestMessage);

  async function run(checks: () => Promise<ConnectionCheck[]>) {
    const found = await checks();
    return {
      ranAt: new Date(clock.now()),
      checks: found.map((one) => ({ ...one, detail: hide(one.detail), advice: one.advice && hide(one.advice) })),
    };
  }

  return {
    async read() {
      const [database, brokers, jobs, webhook, ledger, notices, edited, backup] = await Promise.all([
        readDatabase(db, parts.migrations),
        db.brokers.list(),
        parts.jobs.list(),
        config.payments === 'off' ? undefined : parts.readWebhook(),
        parts.readLedgerCheck(),
        parts.readNotices(),
        parts.offersEditedHere(),
        config.backup && readOwnBackup(db.query),
      ]);
      const freeBytes = freeBytesOf(config.dataDir);
      const facts: Omit<System, 'warnings'> = {
        version: parts.version,
        node: process.versions.node,
        startedAt: parts.startedAt.toISOString(),
        publicUrl: config.publicUrl,
        database,
        brokers: brokers.map(presentBroker),
        jobs: jobs.map((job) => presentJob(job, shorten)),
        payments: {
          kind: config.payments,
          webhook: webhook
            ? {
                address: parts.webhookAddress,
                lastEventAt: webhook.lastEventAt?.toISOString() ?? null,
                lastDelayMs: webhook.lastDelayMs ?? null,
                waiting: webhook.waiting,
                failing: webhook.failing,
              }
            : null,
        },
        ledger: { checkedAt: ledger?.at.toISOString() ?? null, differences: ledger?.differences ?? null },
        disk: { folder: config.dataDir, freeBytes: Number.isFinite(freeBytes) ? freeBytes : null },
        backup:
          config.backup && backup
            ? {
                folder: config.backup.dir,
                everySeconds: config.backup.everySeconds,
                keep: config.backup.keep,
                last: backup.last ? { ...backup.last, at: backup.last.at.toISOString() } : null,
                nextAt: jobs.find(({ name }) => name === 'backup')?.nextRunAt?.toISOString() ?? null,
                failure: presentFailure(backup.failure, shorten),
              }
            : null,
        notices: {
          ...notices,
          delivery: config.mail.kind === 'smtp' ? 'mail' : config.mail.kind,
          hasAlertWebhook: config.alertWebhook !== undefined,
          lastError: notices.lastError === undefined ? null : shorten(notices.lastError),
        },
        settings: [...config.settings],
      };
      const others = {
        config,
        weakKey: parts.weakKey,
        forwardedRequests: parts.forwardedRequests(),
        isUnheard: db.isUnheard?.() ?? false,
        nowMs: clock.now(),
        offersEditedHere: edited,
      };
      return { ...facts, warnings: warningsOf(facts, others) };
    },

    check() {
      const { runChecks } = parts;
      if (!runChecks) throw new SoukError('unavailable', { message: 'The checks cannot run here.' });
      underWay ??= run(runChecks).finally(() => {
        underWay = undefined;
      });
      return underWay;
    },
  };
}

function presentBroker({
  id,
  isThis,
  isAlive,
  seenAt,
  since,
  version,
  callsPerSecond,
  lagMs,
}: ListedBroker): System['brokers'][number] {
  return {
    id,
    isThis,
    state: isAlive ? 'alive' : 'gone',
    seenAt: seenAt.toISOString(),
    version,
    since: since?.toISOString() ?? null,
    callsPerSecond,
    lagMs: lagMs === null ? null : Math.round(lagMs),
  };
}

function presentJob(job: ScheduledJob, shorten: (text: string) => string): System['jobs'][number] {
  return {
    ...job,
    lastRunAt: job.lastRunAt?.toISOString() ?? null,
    nextRunAt: job.nextRunAt?.toISOString() ?? null,
    lastFailure: presentFailure(job.lastFailure, shorten),
  };
}

function presentFailure(failure: ScheduledJob['lastFailure'], shorten: (text: string) => string) {
  return failure ? { at: failure.at.toISOString(), message: shorten(failure.message) } : null;
}
