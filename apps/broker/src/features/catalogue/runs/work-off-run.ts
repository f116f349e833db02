import type { Manifest } from '@souk/contract/manifest.ts';
import { writeAudit } from '#platform/audit/audit-log.ts';
import type { Clock } from '#platform/clock.ts';
import type { Log } from '#platform/log.ts';
import type { Catalogue } from '../create-catalogue.ts';
import type { CatalogueDb, Tx } from '../tables.ts';
import { deployAll } from './deploy-all.ts';
import { reloadServers, type ReloadParts } from './reload-servers.ts';
import { createRunProgress } from './run-progress.ts';
import { endRun, findItems, writeItems, type ItemChange, type OwnRun, type Run, type RunItem } from './run-store.ts';

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
    const left = (await findItems(db, run.id)).filter(({ status }) => status === 'queued');
    if (run.kind === 'deploy-all') await deployAll(run, left, signal, { ...parts, own, progress });
    else if (servers) {
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

/** What is told as deployed is live here, and every other broker is about to read it. */
async function writeProgress(
  run: Run,
  own: OwnRun,
  changes: readonly ItemChange[],
  { db, catalogue, notify }: RunParts,
): Promise<void> {
  const ended = changes.filter(({ status }) => status === 'done').map(({ serverId }) => serverId);
  if (run.kind === 'deploy-all' && ended.length > 0) await catalogue.reread(ended);
  await writeItems(db, own, changes);
  await notify(run.id);
}

/** Writes one row about the whole run; each deployment has its own row. */
async function auditRun(tx: Tx, run: Run, items: readonly RunItem[], at: Date): Promise<void> {
  const idsIn = (status: RunItem['status']) =>
    items.filter((item) => item.status === status).map((item) => item.serverId);
  const [done, failed] = [idsIn('done'), idsIn('failed')];
  const left = items.length - done.length - failed.length;
  const unfinished = left > 0 && { unfinished: left };
  const entry =
    run.kind === 'reload'
      ? { action: 'manifests.reloaded', details: { reloaded: done.length, failed: failed.length, ...unfinished } }
      : { action: 'manifests.deployed', details: { deployed: done, failed, ...unfinished } };
  await writeAudit(tx, { ...entry, actorId: run.startedBy, subject: 'manifests' }, at);
}
