import { randomUUID } from 'node:crypto';
import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import type { Log } from '#platform/log.ts';
import { createGathered } from '#platform/work/gathered.ts';
import { createServerHealth } from '../health/server-health.ts';
import { createPriceDates } from '../prices/price-dates.ts';
import { nextPriceMs } from '../prices/read-prices.ts';
import type { CatalogueDb } from '../tables.ts';
import { changeSnapshot, emptySnapshot } from './create-snapshot.ts';
import { readDeployed, readDeployedIds } from './read-deployed.ts';
import { createReadsInTurn } from './reads-in-turn.ts';
import type { CatalogueServer, CatalogueSnapshot } from './snapshot.ts';

const channel = 'souk_catalogue';
/** A notice has at most 8000 bytes, and an id 63. */
const idsOfNotice = 100;

/**
 * @param changed re-read servers that are deployed; all others are unchanged
 * @param before the same servers before the change, and those that are no longer deployed
 */
export type CatalogueListener = (
  snapshot: CatalogueSnapshot,
  changed: readonly CatalogueServer[],
  before: readonly CatalogueServer[],
) => void;

export type LiveSnapshot = Awaited<ReturnType<typeof createLiveSnapshot>>;

/**
 * Keeps the catalogue in memory: reads it from the database, re-reads what a replica changes, and publishes it to
 * listeners.
 */
export async function createLiveSnapshot(parts: { db: Database; tables: CatalogueDb; clock: Clock; log: Log }) {
  const { db, tables, clock, log } = parts;
  const listeners = new Set<CatalogueListener>();
  /** Precedes the ids of changed servers in our notices. No server's id begins with @. */
  const ourselves = `@${randomUUID()}`;
  let current = emptySnapshot;
  const health = createServerHealth({ db: tables, find: (id) => current.byId.get(id), publish, changed, clock, log });

  function publish(changedIds: ReadonlySet<string>, servers: readonly CatalogueServer[]): void {
    const before = [...changedIds].flatMap((id) => current.byId.get(id) ?? []);
    current = changeSnapshot(current, changedIds, servers);
    for (const id of changedIds) {
      const server = current.byId.get(id);
      priceDates.set(id, server && nextPriceMs(server.prices));
    }
    for (const listener of listeners) listener(current, servers, before);
  }

  async function read(ids: ReadonlySet<string>): Promise<void> {
    const withNewest = health.beginRead(ids);
    publish(ids, withNewest(await readDeployed(tables, ids, clock.now())));
  }

  const failed = (error: unknown) => log.error({ err: error }, 'the catalog could not be re-read');
  const reads = createReadsInTurn({
    // a server that was undeployed is only in this snapshot
    idsOfAll: async () => new Set([...(await readDeployedIds(tables)), ...current.servers.map(({ id }) => id)]),
    read,
    failed,
  });

  const priceDates = createPriceDates(clock, (serverIds) => void reads.read(serverIds).catch(failed));

  const readAll = () => void reads.read([]).catch(failed);
  const hear = (payload: string) => {
    const ids = payload.split(',').filter((id) => id !== '' && !id.startsWith('@'));
    // this broker has read its own changes already
    if (!payload.startsWith(ourselves)) reads.read(ids).catch(failed);
  };
  // before the first read, so that no change in between is missed
  const stopListening = await db.listen(channel, hear, readAll);
  try {
    await reads.read([]);
  } catch (error) {
    priceDates.stop();
    await Promise.allSettled([reads.stop(), stopListening()]);
    throw error;
  }

  const notify = (serverIds: readonly string[]) => db.notify(channel, [ourselves, ...serverIds].join(','));
  /** Sends concurrent changes in few notices, which cause few reads on other brokers. */
  const notices = createGathered((serverIds: readonly string[]) => notify([...new Set(serverIds)]), {
    maxBatch: idsOfNotice,
  });

  /** Re-reads these servers here and on every replica; without ids, all servers. */
  async function changed(...serverIds: string[]): Promise<void> {
    try {
      await reads.read(serverIds);
    } finally {
      await (serverIds.length === 0 ? notify([]) : Promise.all(serverIds.map(notices.add)));
    }
  }

  return {
    current: (): CatalogueSnapshot => current,
    health,
    changed,
    reload: () => reads.read([]),
    onChange(listener: CatalogueListener): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async stop(): Promise<void> {
      listeners.clear();
      priceDates.stop();
      await stopListening();
      await health.stop();
      await reads.stop();
    },
  };
}
