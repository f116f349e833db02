import type { Clock } from '#platform/clock.ts';
import { inBackground } from '#platform/db/background-work.ts';
import type { Log } from '#platform/log.ts';
import type { DeployedVersion } from '../manifests/version-store.ts';
import { driftPolicy } from '../review/drift-policy.ts';
import { logDrift } from '../review/log-drift.ts';
import type { LiveSnapshot } from '../snapshot/live-snapshot.ts';
import type { CatalogueServer } from '../snapshot/snapshot.ts';
import type { CatalogueDb, Tx } from '../tables.ts';
import { answerHash } from './answer-hash.ts';
import type { Discovered } from './discovered.ts';
import { recordAnswer, storeClosed, storeDiscovery, type StoredDiscovery } from './store-discovery.ts';

/**
 * Stores what deployed servers answer to discoveries, one transaction at a time: they would wait for each other's lock.
 * @param parts.builtBy version of this program: another one may store the same answer differently
 */
export function createAnswerRecorder(parts: {
  tables: CatalogueDb;
  live: LiveSnapshot;
  builtBy: string | undefined;
  bundledPrograms: ReadonlySet<string>;
  clock: Clock;
  log: Log;
}) {
  const { tables, live, bundledPrograms, clock, log } = parts;
  const judgedHere = [parts.builtBy, ...bundledPrograms].join(' ');
  const policyOf = (deployed: DeployedVersion) => driftPolicy(deployed, bundledPrograms);
  /** Resolves when the last transaction has ended. */
  let storing: Promise<void> = Promise.resolve();

  async function store(
    serverId: string,
    write: (tx: Tx, server: CatalogueServer, at: Date) => Promise<StoredDiscovery>,
  ): Promise<void> {
    const server = live.current().byId.get(serverId);
    if (!server) return;
    const nowMs = clock.now();
    const stored = storing.then(() =>
      inBackground(() => tables.transaction().execute((tx) => write(tx, server, new Date(nowMs)))),
    );
    storing = stored.then(
      () => {},
      () => {},
    );
    const { found, notAudited, leftOut } = await stored;
    logDrift(log, serverId, found, notAudited);
    if (leftOut !== undefined && leftOut !== server.leftOut) log.warn({ server: serverId }, leftOut);
    live.health.stored(serverId);
    await live.changed(serverId);
  }

  return {
    policyOf,

    async storeDiscovery(serverId: string, discovered: Discovered): Promise<void> {
      const server = live.current().byId.get(serverId);
      if (!server) return;
      const sha256 = await answerHash(discovered, `${server.manifest.version} ${judgedHere}`);
      if (server.answerSha256 === sha256 && isStoredAsAnswered(server))
        return live.health.answeredTheSame(serverId, discovered.era);
      await store(serverId, async (tx, known, at) => {
        const stored = await storeDiscovery(tx, known, discovered, policyOf, at);
        // what has no audit row yet gets one on another day
        if (stored.notAudited === 0) await recordAnswer(tx, serverId, sha256);
        return stored;
      });
    },

    storeClosed: (serverId: string) => store(serverId, (tx, server, at) => storeClosed(tx, server, policyOf, at)),
  };
}

/** Whether the same answer would be stored as before: for this version, and without another server's address. */
function isStoredAsAnswered({ discoveredAtMs = 0, deployedAtMs, resources, templates }: CatalogueServer): boolean {
  return (
    discoveredAtMs >= deployedAtMs &&
    ![...resources, ...templates].some(({ name, exposedName }) => name !== exposedName)
  );
}
