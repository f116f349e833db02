import type { Log } from '#platform/log.ts';
import type { Background } from '#platform/work/background.ts';
import type { Catalogue } from '../create-catalogue.ts';
import type { CatalogueDb } from '../tables.ts';
import { reloadServers, type ReloadParts } from './reload-servers.ts';
import { newestReload } from './run-store.ts';

export type ReloadParticipation = ReturnType<typeof createReloadParticipation>;

/** Takes part in other brokers' reloads, because a reload opens new connections on every broker. */
export function createReloadParticipation(parts: {
  db: CatalogueDb;
  catalogue: Pick<Catalogue, 'snapshot' | 'reload'>;
  servers: ReloadParts | undefined;
  background: Background;
  stopping: AbortSignal;
  log: Log;
}) {
  const { db, catalogue, servers, background, stopping, log } = parts;
  /** The reload that this broker took part in last. */
  let reloaded: string | undefined;
  let begun: string | undefined;

  async function reload(given: ReloadParts): Promise<void> {
    await catalogue.reload();
    const serverIds = catalogue.snapshot().servers.map(({ id }) => id);
    await reloadServers(serverIds, stopping, { ...given, catalogue, log });
  }

  return {
    /** Skips reloads from before this start. */
    async start(): Promise<void> {
      reloaded = await newestReload(db);
    },
    /** Notes a run that this broker begins, because its own notice may arrive before the run is processed. */
    noteBegun: (runId: string) => void (begun = runId),
    noteWorked: (runId: string) => void (reloaded = runId),
    async takePart(): Promise<void> {
      if (!servers) return;
      const newest = await newestReload(db);
      if (newest === undefined || newest === reloaded || newest === begun) return;
      reloaded = newest;
      background.add(reload(servers), 'the servers could not be reloaded');
    },
  };
}
