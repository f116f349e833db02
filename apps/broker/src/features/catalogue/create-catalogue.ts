import { randomUUID } from 'node:crypto';
import type { Manifest } from '@souk/contract/manifest/manifest.ts';
import type { ToolChange, ToolChangeStatus } from '@souk/contract/catalogue/tool-changes.ts';
import type { Clock } from '#platform/clock.ts';
import { inBackground } from '#platform/db/background-work.ts';
import type { Database, Query } from '#platform/db/database.ts';
import { createGathered } from '#platform/work/gathered.ts';
import type { Log } from '#platform/log.ts';
import { answerHash } from './discovery/answer-hash.ts';
import { approveOffer, type Approval, type OfferedList } from './review/approve-offer.ts';
import { changeSnapshot, emptySnapshot } from './snapshot/create-snapshot.ts';
import { createDeployments, type Deployments } from './manifests/create-deployments.ts';
import { decideToolChange, listToolChanges, type Decision } from './review/decide-tool-change.ts';
import type { Discovered } from './discovery/discovered.ts';
import { inspectOffer, type InspectedOffer } from './review/inspect-offer.ts';
import type { DriftPolicy } from './review/judge-tool.ts';
import type { CatalogueServer, CatalogueSnapshot } from './snapshot/snapshot.ts';
import { noteAnswer, storeClosed, storeDiscovery, type StoredDiscovery } from './discovery/store-discovery.ts';
import { createServerHealth, type FoundHealth } from './health/server-health.ts';
import { createPriceDates } from './prices/price-dates.ts';
import { priceNotes } from './prices/price-notes.ts';
import { nextPriceMs } from './prices/read-prices.ts';
import { readDeployed, readDeployedIds } from './snapshot/read-deployed.ts';
import { createReadsInTurn } from './snapshot/reads-in-turn.ts';
import * as versions from './manifests/version-store.ts';
import type { CatalogueTables, Tx } from './tables.ts';
import { tellDrift } from './review/tell-drift.ts';

const channel = 'souk_catalogue';
/** A notice has at most 8000 bytes, and an id 63. */
const idsOfNotice = 100;

/** The stored catalogue: manifests with their versions, and what each deployed server was last found to offer. */
export type Catalogue = Deployments & {
  /** The current state, from memory: lists and calls read this and never wait. */
  snapshot(): CatalogueSnapshot;
  /** What may not have been meant with the prices of a manifest that is staged or about to be deployed. */
  priceNotes(manifest: Manifest): string[];
  /** Replaces what a server offers, unless an administrator approved a list of this version; sets it connected. */
  storeDiscovery(serverId: string, discovered: Discovered): Promise<void>;
  /**
   * A new version of a server answered "sign in first": it works. The shop shows the snapshot in its manifest, which was
   * approved with it, or what it showed before.
   */
  storeClosed(serverId: string): Promise<void>;
  /** What a deployment of this manifest would store of such lists, beside what is deployed now. Stores nothing. */
  inspectOffer(manifest: Pick<Manifest, 'id' | 'slug'>, discovered: Discovered): Promise<InspectedOffer>;
  /** How changes of what a server offers to one person are judged; undefined when it is not deployed. */
  driftOf(serverId: string): Promise<{ slug: string; version: string; policy: DriftPolicy } | undefined>;
  /**
   * Makes these items what the shop shows of a server, with an audit row.
   * @throws SoukError not_found
   */
  approveOffer(serverId: string, list: OfferedList, approval: Approval): Promise<void>;
  /** Reads what is deployed again, here alone. */
  readAgain(): Promise<void>;
  setHealth(serverId: string, change: FoundHealth): Promise<void>;
  /** How tools changed since they were trusted, newest first. */
  toolChanges(filter: { status?: ToolChangeStatus | undefined; serverId?: string | undefined }): Promise<ToolChange[]>;
  /**
   * Approves or rejects a pending change, or approves after all what keeps a tool hidden, with an audit row.
   * @throws SoukError not_found, change_decided
   */
  decideToolChange(id: number, decision: Decision): Promise<ToolChange>;
  /** A server's icon was stored. */
  iconChanged(serverId: string): Promise<void>;
  /** Called after each change of the snapshot. Answers a function that ends it. */
  onChange(listener: CatalogueListener): () => void;
  stop(): Promise<void>;
};

/**
 * @param changed the servers that were read again, of those that are deployed; all others are as they were
 * @param before the same servers as they were before, and those that are deployed no more
 */
export type CatalogueListener = (
  snapshot: CatalogueSnapshot,
  changed: readonly CatalogueServer[],
  before: readonly CatalogueServer[],
) => void;

export async function createCatalogue(options: {
  db: Database;
  clock: Clock;
  log: Log;
  /** Aliases of programs that come with this installation: an upgrade changes them. */
  bundledPrograms?: ReadonlySet<string>;
  /** The version of this program: another one may store something else of the same answer. */
  builtBy?: string;
  /** Counts the people who rent each of these servers; a feature above this one knows it. */
  rentersOf?: (serverIds: readonly string[]) => Promise<ReadonlyMap<string, number>>;
  /** The addresses of people, by user id; deleted ones have none. */
  emailsOf?: (userIds: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** Forgets what features above this one keep for the deployed version of a server, in the transaction that ends it. */
  versionEnds?: (query: Query, serverId: string) => Promise<unknown>;
}): Promise<Catalogue> {
  const { clock, log } = options;
  const db = options.db.kysely.withTables<CatalogueTables>();
  const listeners = new Set<CatalogueListener>();
  /** Stands in our notices before the servers that changed; no id of a server begins so. */
  const ourselves = `@${randomUUID()}`;
  let current = emptySnapshot;
  const health = createServerHealth({ db, find: (id) => current.byId.get(id), publish, changed, clock, log });

  function publish(changed: ReadonlySet<string>, servers: readonly CatalogueServer[]): void {
    const before = [...changed].flatMap((id) => current.byId.get(id) ?? []);
    current = changeSnapshot(current, changed, servers);
    for (const id of changed) {
      const server = current.byId.get(id);
      priceDates.set(id, server && nextPriceMs(server.prices));
    }
    for (const listener of listeners) listener(current, servers, before);
  }

  async function read(ids: ReadonlySet<string>): Promise<void> {
    const withNewest = health.beginRead(ids);
    publish(ids, withNewest(await readDeployed(db, ids, clock.now())));
  }

  const failed = (error: unknown) => log.error({ err: error }, 'cannot read the catalog again');
  const reads = createReadsInTurn({
    // a server that was taken out is known here alone
    idsOfAll: async () => new Set([...(await readDeployedIds(db)), ...current.servers.map(({ id }) => id)]),
    read,
    failed,
  });

  const priceDates = createPriceDates(clock, (serverIds) => void reads.read(serverIds).catch(failed));

  // before the first read, so that no change falls between the two
  const readAll = () => void reads.read([]).catch(failed);
  const heed = (payload: string) => {
    const ids = payload.split(',').filter((id) => id !== '' && !id.startsWith('@'));
    // what this broker tells it has read before
    if (!payload.startsWith(ourselves)) reads.read(ids).catch(failed);
  };
  const stopListening = await options.db.listen(channel, heed, readAll);
  try {
    await reads.read([]);
  } catch (error) {
    priceDates.stop();
    await Promise.allSettled([reads.stop(), stopListening()]);
    throw error;
  }

  const notify = (serverIds: readonly string[]) => options.db.notify(channel, [ourselves, ...serverIds].join(','));
  /** Many changes at once are told in few notices, and read again in few reads, here and at other brokers. */
  const notices = createGathered((serverIds: readonly string[]) => notify([...new Set(serverIds)]), {
    maxBatch: idsOfNotice,
  });

  /** @param serverIds without any, all servers may have changed */
  async function changed(...serverIds: string[]): Promise<void> {
    try {
      await reads.read(serverIds);
    } finally {
      await (serverIds.length === 0 ? notify([]) : Promise.all(serverIds.map(notices.add)));
    }
  }

  const judgedHere = [options.builtBy, ...(options.bundledPrograms ?? [])].join(' ');
  const policyOf = ({ manifest, origin }: versions.DeployedVersion) =>
    driftPolicy(manifest, origin, options.bundledPrograms);

  /** Ends with the last transaction that stores what a server offers: they would wait for each other's lock. */
  let storing: Promise<void> = Promise.resolve();

  /** Stores what a deployed server offers, and tells the operator what is new about it. */
  async function storeOffers(
    serverId: string,
    write: (tx: Tx, server: CatalogueServer, at: Date) => Promise<StoredDiscovery>,
  ): Promise<void> {
    const server = current.byId.get(serverId);
    if (!server) return;
    const nowMs = clock.now();
    const stored = storing.then(() =>
      inBackground(() => db.transaction().execute((tx) => write(tx, server, new Date(nowMs)))),
    );
    storing = stored.then(
      () => {},
      () => {},
    );
    const { found, notAudited, leftOut } = await stored;
    tellDrift(log, serverId, found, notAudited);
    if (leftOut !== undefined && leftOut !== server.leftOut) log.warn({ server: serverId }, leftOut);
    health.stored(serverId);
    await changed(serverId);
  }

  return {
    snapshot: () => current,
    priceNotes: (manifest) => priceNotes(manifest, { live: current.byId.get(manifest.id), nowMs: clock.now() }),

    ...createDeployments({
      db,
      clock,
      changed,
      rentersOf: options.rentersOf ?? (async () => new Map()),
      emailsOf: options.emailsOf ?? (async () => new Map()),
      versionEnds: options.versionEnds ?? (async () => {}),
    }),

    iconChanged: (serverId) => changed(serverId),

    readAgain: () => reads.read([]),

    async storeDiscovery(serverId, discovered) {
      const server = current.byId.get(serverId);
      if (!server) return;
      const sha256 = await answerHash(discovered, `${server.manifest.version} ${judgedHere}`);
      if (server.answerSha256 === sha256 && isStoredAsAnswered(server))
        return health.answeredTheSame(serverId, discovered.era);
      await storeOffers(serverId, async (tx, known, at) => {
        const stored = await storeDiscovery(tx, known, discovered, policyOf, at);
        // what has no audit row yet gets one another day
        if (stored.notAudited === 0) await noteAnswer(tx, serverId, sha256);
        return stored;
      });
    },

    storeClosed: (serverId) => storeOffers(serverId, (tx, server, at) => storeClosed(tx, server, policyOf, at)),

    inspectOffer: (manifest, discovered) => inspectOffer(db, manifest, discovered, current.byId.get(manifest.id)),

    async driftOf(serverId) {
      const slug = current.byId.get(serverId)?.slug;
      const deployed = await versions.findDeployed(db, serverId);
      if (!deployed || slug === undefined) return undefined;
      return { slug, version: deployed.manifest.version, policy: policyOf(deployed) };
    },

    async approveOffer(serverId, list, approval) {
      await db.transaction().execute((tx) => approveOffer(tx, serverId, list, approval, new Date(clock.now())));
      await changed(serverId);
    },

    setHealth: health.set,

    toolChanges: (filter) => listToolChanges(db, filter),

    async decideToolChange(id, decision) {
      const change = await db.transaction().execute(async (tx) => {
        await versions.lockDeployments(tx);
        return decideToolChange(tx, id, decision, new Date(clock.now()));
      });
      await changed(change.serverId);
      return change;
    },

    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },

    async stop() {
      listeners.clear();
      priceDates.stop();
      await stopListening();
      await health.stop();
      await reads.stop();
    },
  };
}

/** Whether the same answer would be stored as the last one: of this version, and with no address that another server had. */
function isStoredAsAnswered({ discoveredAtMs = 0, deployedAtMs, resources, templates }: CatalogueServer): boolean {
  return (
    discoveredAtMs >= deployedAtMs &&
    ![...resources, ...templates].some(({ name, exposedName }) => name !== exposedName)
  );
}

/** How a server's tools may change. What comes with this installation changes with an upgrade of Souk. */
function driftPolicy(
  manifest: Manifest,
  origin: 'bundled' | 'admin',
  bundledPrograms: ReadonlySet<string> = new Set(),
): DriftPolicy {
  const { connection } = manifest;
  const isOurs =
    connection.type === 'stdio' ? bundledPrograms.has(connection.command) : connection.url.startsWith('service:');
  return origin === 'bundled' && isOurs ? 'own' : (manifest.toolChanges ?? 'text-only');
}
