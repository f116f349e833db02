import type { Manifest } from '@souk/contract/manifest/manifest.ts';
import type { ToolChange, ToolChangeStatus } from '@souk/contract/catalogue/tool-changes.ts';
import type { Clock } from '#platform/clock.ts';
import type { Database, Query } from '#platform/db/database.ts';
import type { Log } from '#platform/log.ts';
import { approveList, type Approval, type ListToApprove } from './review/approve-list.ts';
import { createDeployments, type Deployments } from './manifests/create-deployments.ts';
import { decideToolChange, listToolChanges, type Decision } from './review/decide-tool-change.ts';
import type { Discovered } from './discovery/discovered.ts';
import { createAnswerRecorder } from './discovery/record-answers.ts';
import { inspectLists, type InspectedLists } from './review/inspect-lists.ts';
import type { DriftPolicy } from './review/judge-tool.ts';
import { createLiveSnapshot, type CatalogueListener } from './snapshot/live-snapshot.ts';
import type { CatalogueSnapshot } from './snapshot/snapshot.ts';
import type { FoundHealth } from './health/server-health.ts';
import { priceWarnings } from './prices/price-warnings.ts';
import * as versions from './manifests/version-store.ts';
import type { CatalogueTables } from './tables.ts';

/** The stored catalogue: manifests with their versions, and what each deployed server last offered. */
export type Catalogue = Deployments & {
  /** The current state, from memory: lists and calls never wait. */
  snapshot(): CatalogueSnapshot;
  /** Sentences about prices of a manifest that its author may not have meant. */
  priceWarnings(manifest: Manifest): string[];
  /** Replaces what a server offers, unless an administrator approved a list for this version; marks it connected. */
  storeDiscovery(serverId: string, discovered: Discovered): Promise<void>;
  /**
   * Stores that a new version of a server works, although it requires a sign-in to list anything. The shop shows the
   * snapshot that was approved with the manifest, else its previous list.
   */
  storeSignInRequired(serverId: string): Promise<void>;
  /** Returns what a deployment of this manifest would store of these lists. Stores nothing. */
  inspectLists(manifest: Pick<Manifest, 'id' | 'slug'>, discovered: Discovered): Promise<InspectedLists>;
  /** Returns how changes of personal tools of this server are reviewed; undefined when it is not deployed. */
  driftOf(serverId: string): Promise<{ slug: string; version: string; policy: DriftPolicy } | undefined>;
  /** Sets these items as the list that the shop shows for a server, with an audit row. @throws SoukError not_found */
  approveList(serverId: string, list: ListToApprove, approval: Approval): Promise<void>;
  /** Re-reads everything that is deployed, on this broker alone. */
  reload(): Promise<void>;
  setHealth(serverId: string, change: FoundHealth): Promise<void>;
  /** Changes of tools since they were trusted, newest first. */
  toolChanges(filter: { status?: ToolChangeStatus | undefined; serverId?: string | undefined }): Promise<ToolChange[]>;
  /** Decides a pending change, or later approves a rejected one. @throws SoukError not_found, change_decided */
  decideToolChange(id: number, decision: Decision): Promise<ToolChange>;
  /** To be called when a server's icon was stored. */
  iconChanged(serverId: string): Promise<void>;
  /** Calls the listener after each change of the snapshot. Returns a function that removes it. */
  onChange(listener: CatalogueListener): () => void;
  stop(): Promise<void>;
};

export async function createCatalogue(parts: {
  db: Database;
  clock: Clock;
  log: Log;
  /** Aliases of programs that come with this installation: an upgrade changes them. */
  bundledPrograms?: ReadonlySet<string>;
  /** Version of this program: another one may store the same answer differently. */
  builtBy?: string;
  /** Renters of each of these servers, from a feature above. */
  rentersOf?: (serverIds: readonly string[]) => Promise<ReadonlyMap<string, number>>;
  /** Addresses by user id; deleted users have none. */
  emailsOf?: (userIds: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** Deletes what features above store for a server's deployed version, in the transaction that ends it. */
  versionEnds?: (query: Query, serverId: string) => Promise<unknown>;
}): Promise<Catalogue> {
  const { clock, log, builtBy, bundledPrograms = new Set<string>() } = parts;
  const tables = parts.db.kysely.withTables<CatalogueTables>();
  const live = await createLiveSnapshot({ db: parts.db, tables, clock, log });
  const recorder = createAnswerRecorder({ tables, live, builtBy, bundledPrograms, clock, log });
  const find = (serverId: string) => live.current().byId.get(serverId);

  return {
    snapshot: live.current,
    priceWarnings: (manifest) => priceWarnings(manifest, { live: find(manifest.id), nowMs: clock.now() }),

    ...createDeployments({
      db: tables,
      clock,
      changed: live.changed,
      rentersOf: parts.rentersOf ?? (async () => new Map()),
      emailsOf: parts.emailsOf ?? (async () => new Map()),
      versionEnds: parts.versionEnds ?? (async () => {}),
    }),

    iconChanged: (serverId) => live.changed(serverId),

    reload: live.reload,

    storeDiscovery: recorder.storeDiscovery,

    storeSignInRequired: recorder.storeSignInRequired,

    inspectLists: (manifest, discovered) => inspectLists(tables, manifest, discovered, find(manifest.id)),

    async driftOf(serverId) {
      const slug = find(serverId)?.slug;
      const deployed = await versions.findDeployed(tables, serverId);
      if (!deployed || slug === undefined) return undefined;
      return { slug, version: deployed.manifest.version, policy: recorder.policyOf(deployed) };
    },

    async approveList(serverId, list, approval) {
      await tables.transaction().execute((tx) => approveList(tx, serverId, list, approval, new Date(clock.now())));
      await live.changed(serverId);
    },

    setHealth: live.health.set,

    toolChanges: (filter) => listToolChanges(tables, filter),

    async decideToolChange(id, decision) {
      const change = await tables.transaction().execute(async (tx) => {
        await versions.lockDeployments(tx);
        return decideToolChange(tx, id, decision, new Date(clock.now()));
      });
      await live.changed(change.serverId);
      return change;
    },

    onChange: live.onChange,

    stop: live.stop,
  };
}
