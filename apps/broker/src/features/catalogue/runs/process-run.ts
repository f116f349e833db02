import type { Manifest } from '@souk/contract/manifest/manifest.ts';
import { writeAudit, type AuditEntry } from '#platform/audit/audit-log.ts';
import type { Clock } from '#platform/clock.ts';
import type { Log } from '#platform/log.ts';
import type { Catalogue } from '../create-catalogue.ts';
import type { CatalogueDb, Tx } from '../tables.ts';
import { askDeployed } from './ask-deployed.ts';
import { deployAll } from './deploy-all.ts';
import { reloadServers, type ReloadParts } from './reload-servers.ts';
import { createRunProgress } from './run-progress.ts';
import {
  endRun,
  findItems,
  liveStatuses,
  writeItems,
  type ItemChange,
  type OwnRun,
  type Run,
  type RunItem,
} from './run-store.ts';

/** Broker crashes after which a run is no longer retried: one of its manifests may be the cause. */
const maxTakeovers = 3;

export type RunParts = {
  db: CatalogueDb;
  catalogue: Pick<Catalogue, 'snapshot' | 'reloadEverywhere'>;
  notify(runId: string): Promise<void>;
  /** Throws for a manifest that must not be deployed here. */
  check(manifest: Manifest): void;
  /** Only a broker has these; a command without one only deploys. */
  servers: ReloadParts | undefined;
  clock: Clock;
  log: Log;
};

/**
 * Processes the rest of a run, and ends the run. An aborted signal leaves the rest to another broker.
 * @param takeovers number of brokers that crashed while they processed it
 * @throws RunLostError when another broker has taken it over; the error of a lost database
 */
export async function processRun(
  run: Run,
  own: OwnRun,
  takeovers: number,
  stopping: AbortSignal,
  parts: RunParts,
): Promise<void> {
  const { db, catalogue, servers } = parts;
  const isTried = takeovers < maxTakeovers;
  if (isTried) {
    const failed = new AbortController();
    const signal = AbortSignal.any([stopping, failed.signal]);
    const progress = createRunProgress({
      write: (changes) => writeProgress(run, own, changes, parts),
      failed: () => failed.abort(),
    });
    const items = await findItems(db, run.id);
    const left = items.filter(({ status }) => status === 'queued');
    if (run.kind === 'deploy-all') {
      const asks = servers && { watch: servers.watch, progress, log: parts.log };
      const deployed = asks ? 'asking' : 'done';
      // another broker deployed these, and stopped before they answered
      for (const { serverId } of items.filter(({ status }) => status === 'asking'))
        progress.note({ serverId, status: deployed });
      await deployAll(run, left, signal, { ...parts, own, progress, deployed });
      // after this, the snapshot of this broker has them as deployed
      await progress.flush();
      if (asks) await askDeployed(await idsAsked(db, run.id), signal, asks);
    } else if (servers) {
      await catalogue.reloadEverywhere();
      await reloadServers(
        left.map(({ serverId }) => serverId),
        signal,
        { ...servers, catalogue, progress, log: parts.log },
      );
    }
    await progress.flush();
    if (stopping.aborted) return;
  }
  await db.transaction().execute(async (tx) => {
    const at = new Date(parts.clock.now());
    await endRun(tx, own, isTried ? 'done' : 'interrupted', at);
    await auditRun(tx, run, await findItems(tx, run.id), at);
  });
}

async function idsAsked(db: CatalogueDb, runId: string): Promise<string[]> {
  const items = await findItems(db, runId);
  return items.flatMap(({ serverId, status }) => (status === 'asking' ? [serverId] : []));
}

/**
 * Writes progress, after this broker has read the manifests that are live now and has announced them to the other
 * brokers.
 */
async function writeProgress(
  run: Run,
  own: OwnRun,
  changes: readonly ItemChange[],
  { db, catalogue, notify, servers }: RunParts,
): Promise<void> {
  const live = changes.flatMap(({ serverId, status }) => (status === (servers ? 'asking' : 'done') ? [serverId] : []));
  if (run.kind === 'deploy-all' && live.length > 0) await catalogue.reloadEverywhere(live);
  await writeItems(db, own, changes);
  await notify(run.id);
}

/** Writes one audit row for the run; each deployment has its own. */
async function auditRun(tx: Tx, run: Run, items: readonly RunItem[], at: Date): Promise<void> {
  const idsIn = (...statuses: RunItem['status'][]) =>
    items.filter((item) => statuses.includes(item.status)).map((item) => item.serverId);
  const [done, failed] = [idsIn(...liveStatuses), idsIn('failed')];
  const unanswered = idsIn('unanswered');
  const left = items.length - done.length - failed.length;
  const unfinished = left > 0 && { unfinished: left };
  const entry: Pick<AuditEntry, 'action' | 'details'> =
    run.kind === 'reload'
      ? { action: 'manifests.reloaded', details: { reloaded: done.length, failed: failed.length, ...unfinished } }
      : {
          action: 'manifests.deployed',
          details: { deployed: done, failed, ...(unanswered.length > 0 && { unanswered }), ...unfinished },
        };
  await writeAudit(
    tx,
    { ...entry, actorId: run.startedBy ?? undefined, subject: 'manifests', reason: run.reason ?? undefined },
    at,
  );
}
