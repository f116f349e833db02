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
import { recordAnswer, storeSignInRequired, storeDiscovery, type StoredDiscovery } from './store-discovery.ts';

/**
 * Stores what deployed servers answer to discoveries, one transaction at a time, because concurrent ones would wait for
 * each other's lock.
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
        // without the hash, the next discovery stores the answer again and writes the audit rows that are missing
        if (stored.notAudited === 0) await recordAnswer(tx, serverId, sha256);
        return stored;
      });
    },

    storeSignInRequired: (serverId: string) =>
      store(serverId, (tx, server, at) => storeSignInRequired(tx, server, policyOf, at)),
  };
}

/**
 * Whether storing the same answer again would change nothing: it is stored for this version, and no address is prefixed
 * because another server has it.
 */
function isStoredAsAnswered({ discoveredAtMs = 0, deployedAtMs, resources, templates }: CatalogueServer): boolean {
  return (
    discoveredAtMs >= deployedAtMs &&
    ![...resources, ...templates].some(({ name, exposedName }) => name !== exposedName)
  );
}
