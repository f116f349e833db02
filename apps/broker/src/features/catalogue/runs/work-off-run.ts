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

/** A run on which so many brokers have died is not tried again: one of its manifests may be what they die of. */
const maxTakeovers = 3;

export type RunParts = {
  db: CatalogueDb;
  catalogue: Pick<Catalogue, 'snapshot' | 'reread'>;
  notify(runId: string): Promise<void>;
  /** Throws for a manifest that must not be deployed here. */
  check(manifest: Manifest): void;
  /** What a broker has; a command that runs beside none works off deployments alone. */
  servers: ReloadParts | undefined;
  clock: Clock;
  log: Log;
};

/**
 * Works off what is left of a run, and ends it. A signal that aborts leaves the rest to another broker.
 * @param takeovers how many brokers have died on it
 * @throws RunLostError when another broker has taken it over; an error of a database that is away
 */
export async function workOffRun(
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
      // another broker has deployed them, and could not wait for their answers
      for (const { serverId } of items.filter(({ status }) => status === 'asking'))
        progress.note({ serverId, status: deployed });
      await deployAll(run, left, signal, { ...parts, own, progress, deployed });
      // what is asked is known here as deployed by then
      await progress.flush();
      if (asks) await askDeployed(await idsAsked(db, run.id), signal, asks);
    } else if (servers) {
      await catalogue.reread();
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

/** What is told as deployed is live here, and every other broker is about to read it. */
async function writeProgress(
  run: Run,
  own: OwnRun,
  changes: readonly ItemChange[],
  { db, catalogue, notify, servers }: RunParts,
): Promise<void> {
  const live = changes.flatMap(({ serverId, status }) => (status === (servers ? 'asking' : 'done') ? [serverId] : []));
  if (run.kind === 'deploy-all' && live.length > 0) await catalogue.reread(live);
  await writeItems(db, own, changes);
  await notify(run.id);
}

/** Writes one row about the whole run; each deployment has its own row. */
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
