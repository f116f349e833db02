import type { Manifest } from '@souk/contract/manifest/manifest.ts';
import type { Clock } from '#platform/clock.ts';
import { isDatabaseLost } from '#platform/db/database-errors.ts';
import { SoukError } from '#platform/errors.ts';
import type { Log } from '#platform/log.ts';
import type { CatalogueDb } from '../tables.ts';
import { deployStaged } from './deploy-staged.ts';
import type { RunProgress } from './run-progress.ts';
import { RunLostError, writeItems, type OwnRun, type Run, type RunItem } from './run-store.ts';

/**
 * Deploys manifests sequentially, each in a transaction with its audit row and its status in the run, so that a broker
 * that takes over knows exactly which are deployed. A failure does not affect the others.
 * @param parts.deployed status of a manifest in the run once it is live
 * @param parts.check throws for a manifest that must not be deployed here
 * @throws RunLostError; the error of a lost database
 */
export async function deployAll(
  run: Run,
  items: readonly RunItem[],
  signal: AbortSignal,
  parts: {
    db: CatalogueDb;
    clock: Clock;
    own: OwnRun;
    progress: RunProgress;
    deployed: 'asking' | 'done';
    check(manifest: Manifest): void;
    log: Log;
  },
): Promise<void> {
  const { db, own, progress } = parts;
  const by = { actorId: run.startedBy ?? undefined, via: run.via, reason: run.reason ?? undefined };
  for (const item of items) {
    if (signal.aborted) return;
    const { serverId } = item;
    progress.note({ serverId, status: 'working' });
    const done = { serverId, status: parts.deployed };
    try {
      await db.transaction().execute(async (tx) => {
        await deployStaged(tx, item, by, new Date(parts.clock.now()), parts.check);
        await writeItems(tx, own, [done]);
      });
      progress.note(done);
    } catch (error) {
      if (error instanceof RunLostError || isDatabaseLost(error)) throw error;
      if (!(error instanceof SoukError))
        parts.log.error({ err: error, server: serverId }, 'a manifest was not deployed');
      const reason = error instanceof SoukError ? error.message : 'An unexpected error occurred';
      progress.note({ serverId, status: 'failed', message: `Failed to deploy manifest: ${reason}` });
    }
  }
}
