import type { System } from '@souk/contract/admin/system.ts';
import type { ConnectionCheck } from '@souk/contract/diagnostics.ts';
import type { Clock } from '#platform/clock.ts';
import type { Config } from '#platform/config.ts';
import { readOwnBackup } from '#platform/backup/own-backups.ts';
import { freeBytesOf } from '#platform/db/embedded/disk-space-guard.ts';
import type { Database, Migration } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';
import { hideSecrets } from '#platform/text/hide-secrets.ts';
import type { Jobs } from '#platform/jobs/create-jobs.ts';
import { readDatabase } from './read-database.ts';
import { warningsOf } from './system-warnings.ts';

export type SystemParts = {
  db: Database;
  config: Config;
  jobs: Pick<Jobs, 'list'>;
  migrations: readonly Migration[];
  version: string;
  startedAt: Date;
  /** What is wrong with the master key, which is in use all the same. */
  weakKey: string | undefined;
  forwardedRequests(): number;
  /** Of the payment provider; its address is the one that the provider has to know. */
  webhookAddress: string;
  readWebhook(): Promise<{
    lastEventAt: Date | undefined;
    lastDelayMs: number | undefined;
    waiting: number;
    failing: number;
  }>;
  readNotices(): Promise<{ waiting: number; failing: number; givenUp: number; lastError: string | undefined }>;
  readLedgerCheck(): Promise<{ at: Date; differences: number } | undefined>;
  /** Offers that an administrator edited, which offers.json no longer changes. */
  offersEditedHere(): Promise<readonly string[]>;
  /** What the operator's commands check; undefined where nothing of it can run. */
  runChecks: (() => Promise<ConnectionCheck[]>) | undefined;
  clock: Clock;
};

/** Cut when nothing of it is secret any more: a part of a secret is not found. */
const longestMessage = 300;

/** This installation as administrators and `souk system` see it. */
export type SystemView = {
  read(): Promise<System>;
  /** Several who ask at once get the same run. @throws SoukError unavailable */
  check(): Promise<{ ranAt: Date; checks: ConnectionCheck[] }>;
};

export function createSystem(parts: SystemParts): SystemView {
  const { db, config, clock } = parts;
  let underWay: Promise<{ ranAt: Date; checks: ConnectionCheck[] }> | undefined;
  /** For texts that others wrote: errors, and what a provider answered. */
  const hide = (text: string) => hideSecrets(text, config.secretValues);

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
        brokers: brokers.map(({ id, isThis, isAlive, seenAt, since, version, callsPerSecond, lagMs }) => ({
          id,
          isThis,
          state: isAlive ? ('alive' as const) : ('gone' as const),
          seenAt: seenAt.toISOString(),
          version: version ?? null,
          since: since?.toISOString() ?? null,
          callsPerSecond: callsPerSecond ?? null,
          lagMs: lagMs === undefined ? null : Math.round(lagMs),
        })),
        jobs: jobs.map(({ name, everySeconds, lastRunAt, nextRunAt, isRunning, lastFailure }) => ({
          name,
          everySeconds,
          isRunning,
          lastRunAt: lastRunAt?.toISOString() ?? null,
          nextRunAt: nextRunAt?.toISOString() ?? null,
          lastFailure: lastFailure
            ? { at: lastFailure.at.toISOString(), message: hide(lastFailure.message).slice(0, longestMessage) }
            : null,
        })),
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
                failure: backup.failure
                  ? {
                      at: backup.failure.at.toISOString(),
                      message: hide(backup.failure.message).slice(0, longestMessage),
                    }
                  : null,
              }
            : null,
        notices: {
          ...notices,
          delivery: config.mail.kind === 'smtp' ? 'mail' : config.mail.kind,
          hasAlertWebhook: config.alertWebhook !== undefined,
          lastError: notices.lastError === undefined ? null : hide(notices.lastError).slice(0, longestMessage),
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
