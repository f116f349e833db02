import type { Manifest } from '@souk/contract/manifest/manifest.ts';
import type { ToolChange } from '@souk/contract/catalogue/tool-changes.ts';
import type { Clock } from '#platform/clock.ts';
import type { Query } from '#platform/db/database.ts';
import { queryWithin } from '#platform/db/query-within.ts';
import { approveTools } from '../review/approve-tools.ts';
import {
  deleteManifest,
  deployKnown,
  deployManifest,
  stageVersion,
  undeployServer,
  uploadVersion,
  type ManifestActor,
} from './manifest-versions.ts';
import { findCurrentHeadsOf } from './manifest-heads.ts';
import { gatherChanges } from './deployments/gather-changes.ts';
import { createManifestReads, type ManifestReads } from './deployments/manifest-reads.ts';
import { StaleWriteError, revisionOf } from './revision.ts';
import { explainStaleWrite } from './explain-stale-write.ts';
import * as versions from './version-store.ts';
import type { CatalogueDb, Tx } from '../tables.ts';

/** Decisions of operators and administrators about servers, each stored with its audit row. */
export type Deployments = ManifestReads & {
  /** Stages a manifest; a known version is `unchanged`. @throws SoukError manifest_conflict when its content differs */
  stage(manifest: Manifest, by: versions.StagedBy): Promise<'staged' | 'unchanged'>;
  /**
   * Stages an administrator's manifest, even a version that was removed before.
   * @param only id that the manifest must have and that must be known
   * @throws SoukError manifest_conflict, not_found, changed_since_shown
   */
  upload(
    manifest: Manifest,
    by: ManifestActor,
    only?: string,
  ): Promise<{ result: 'staged' | 'unchanged'; revision: string }>;
  /**
   * Removes a server from the catalogue and from staging; its versions are kept. Returns the number of its renters.
   * @param also runs in the same transaction
   * @throws SoukError not_found, changed_since_shown
   */
  deleteManifest(
    serverId: string,
    by: ManifestActor,
    also?: (query: Query) => Promise<void>,
  ): Promise<{ renters: number }>;
  /** Runs `work`, and then re-reads all servers that it changed together, here and on every replica. */
  together<T>(work: () => Promise<T>): Promise<T>;
  /** Re-reads these deployed servers, or all of them, here and on every replica. */
  reloadEverywhere(serverIds?: readonly string[]): Promise<void>;
  /**
   * Makes a version live, unless it is live already.
   * @param version by default the staged one, else the one that was live last
   * @param check throws for a manifest that must not be deployed here
   * @throws SoukError not_found, changed_since_shown, and what `check` throws
   */
  deploy(
    serverId: string,
    version?: string,
    by?: ManifestActor,
    check?: (manifest: Manifest) => void,
  ): Promise<{ version: string; result: 'deployed' | 'unchanged'; revision: string }>;
  /** Stages a manifest and makes it live; `unchanged` when it is live already. @throws SoukError manifest_conflict */
  deployManifest(manifest: Manifest, by: ManifestActor): Promise<'deployed' | 'unchanged'>;
  /**
   * Removes a server from the catalogue and keeps its history. Returns the version that was live, and the number of
   * renters.
   * @throws SoukError not_found, changed_since_shown
   */
  undeploy(serverId: string, by: ManifestActor): Promise<{ version: string; renters: number; revision: string }>;
  /**
   * Approves the pending changes of a server's tools, or of the named tools, which may be kept hidden.
   * @param shown code of everything that is pending or kept hidden, as it was read
   * @throws SoukError not_found when none is pending or a named tool has none; changed_since_shown: nothing was
   *   approved
   */
  approveTools(serverId: string, tools: readonly string[], shown: string, by: ManifestActor): Promise<ToolChange[]>;
};

export function createDeployments(parts: {
  db: CatalogueDb;
  clock: Clock;
  /** Announces changed servers to this broker and the others; without ids, all may have changed. */
  changed(...serverIds: string[]): Promise<void>;
  rentersOf(serverIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
  emailsOf(userIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  versionEnds(query: Query, serverId: string): Promise<unknown>;
}): Deployments {
  const { db, clock } = parts;
  const { changed, together } = gatherChanges(parts.changed);

  const countRenters = async (serverId: string) => (await parts.rentersOf([serverId])).get(serverId) ?? 0;

  /** @param by the sender of the change, for the explanation of a stale write */
  async function inTurn<T>(work: (tx: Tx, at: Date) => Promise<T>, by?: ManifestActor): Promise<T> {
    try {
      return await db.transaction().execute(async (tx) => {
        await versions.lockDeployments(tx);
        return work(tx, new Date(clock.now()));
      });
    } catch (error) {
      // outside the transaction: the embedded database runs one statement at a time
      throw error instanceof StaleWriteError ? await explainStaleWrite(error, by?.actorId, parts.emailsOf) : error;
    }
  }

  const versionEnds = (tx: Tx, serverId: string) => parts.versionEnds(queryWithin(tx), serverId);
  const revisionNow = async (tx: Tx, serverId: string) => revisionOf(await findCurrentHeadsOf(tx, serverId));

  return {
    ...createManifestReads(db, parts.emailsOf),

    stage: (manifest, by) => inTurn((tx) => stageVersion(tx, manifest, by)),

    upload: (manifest, by, only) =>
      inTurn(async (tx, at) => {
        const result = await uploadVersion(tx, manifest, by, only, at);
        return { result, revision: await revisionNow(tx, manifest.id) };
      }, by),

    async deleteManifest(serverId, by, also) {
      const renters = await countRenters(serverId);
      await inTurn(async (tx, at) => {
        await deleteManifest(tx, serverId, by, at, renters);
        await versionEnds(tx, serverId);
        await also?.(queryWithin(tx));
      }, by);
      await changed(serverId);
      return { renters };
    },

    together,

    reloadEverywhere: (serverIds = []) => changed(...serverIds),

    async deploy(serverId, version, by = { via: 'start' }, check = () => {}) {
      const deployed = await inTurn(async (tx, at) => {
        const known = await deployKnown(tx, serverId, version, by, { check, at });
        if (known.result === 'deployed') await versionEnds(tx, serverId);
        return { ...known, revision: await revisionNow(tx, serverId) };
      }, by);
      if (deployed.result === 'deployed') await changed(serverId);
      return deployed;
    },

    async deployManifest(manifest, by) {
      const result = await inTurn(async (tx, at) => {
        const deployed = await deployManifest(tx, manifest, by, at);
        if (deployed === 'deployed') await versionEnds(tx, manifest.id);
        return deployed;
      });
      if (result === 'deployed') await changed(manifest.id);
      return result;
    },

    async undeploy(serverId, by) {
      const renters = await countRenters(serverId);
      const undeployed = await inTurn(async (tx, at) => {
        const version = await undeployServer(tx, serverId, by, at, renters);
        await versionEnds(tx, serverId);
        return { version, revision: await revisionNow(tx, serverId) };
      }, by);
      await changed(serverId);
      return { ...undeployed, renters };
    },

    async approveTools(serverId, tools, shown, by) {
      const approved = await inTurn((tx, at) => approveTools(tx, serverId, { tools, shown }, by, at));
      await changed(serverId);
      return approved;
    },
  };
}
