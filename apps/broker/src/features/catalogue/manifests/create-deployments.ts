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
  type DecidedBy,
} from './manifest-versions.ts';
import { findCurrentHeadsOf } from './manifest-heads.ts';
import { gatherChanges } from './deployments/gather-changes.ts';
import { createManifestReads, type ManifestReads } from './deployments/manifest-reads.ts';
import { ManifestMoved, revisionOf } from './revision.ts';
import { tellMoved } from './tell-moved.ts';
import * as versions from './version-store.ts';
import type { CatalogueDb, Tx } from '../tables.ts';

/** What an operator or administrator decides on servers. Each decision is stored with its audit row or not at all. */
export type Deployments = ManifestReads & {
  /**
   * Puts a manifest in staging. `unchanged` when exactly this version is known already.
   * @throws SoukError manifest_conflict when the version is known with other content
   */
  stage(manifest: Manifest, by: versions.StagedBy): Promise<'staged' | 'unchanged'>;
  /**
   * Puts an administrator's manifest in staging, also a version that was taken out before.
   * @param only the id of a server that must be known
   * @throws SoukError manifest_conflict, not_found, changed_since_shown
   */
  upload(
    manifest: Manifest,
    by: DecidedBy,
    only?: string,
  ): Promise<{ result: 'staged' | 'unchanged'; revision: string }>;
  /**
   * Takes a server out of the catalogue and out of staging; its versions are kept. Answers how many people rent it.
   * @param also what is done in the same transaction
   * @throws SoukError not_found, changed_since_shown
   */
  deleteManifest(serverId: string, by: DecidedBy, also?: (query: Query) => Promise<void>): Promise<{ renters: number }>;
  /** What is decided on many servers by `work` is read again once, at its end, here and on every replica. */
  together<T>(work: () => Promise<T>): Promise<T>;
  /** Reads what is deployed again, all or these, here and on every replica. */
  reread(serverIds?: readonly string[]): Promise<void>;
  /**
   * Makes a version live; one that is live already stays as it is.
   * @param version by default the staged one, else the one that was live last
   * @param check throws for a manifest that must not be deployed here
   * @throws SoukError not_found, changed_since_shown, and what `check` throws
   */
  deploy(
    serverId: string,
    version?: string,
    by?: DecidedBy,
    check?: (manifest: Manifest) => void,
  ): Promise<{ version: string; result: 'deployed' | 'unchanged'; revision: string }>;
  /**
   * Stages a manifest and makes it live. `unchanged` when exactly this version is live already.
   * @throws SoukError manifest_conflict
   */
  deployManifest(manifest: Manifest, by: DecidedBy): Promise<'deployed' | 'unchanged'>;
  /**
   * Takes a server out of the catalogue and keeps its history. Answers the version that was live, and how many people rent it.
   * @throws SoukError not_found, changed_since_shown
   */
  undeploy(serverId: string, by: DecidedBy): Promise<{ version: string; renters: number; revision: string }>;
  /**
   * Approves the pending changes of a server's tools, or of those named, which may be kept hidden.
   * @param shown the code of all that is pending or kept hidden, as it was read
   * @throws SoukError not_found when none is pending, or a named tool has none; changed_since_shown: then nothing is approved
   */
  approveTools(serverId: string, tools: readonly string[], shown: string, by: DecidedBy): Promise<ToolChange[]>;
};

/**
 * @param options.changed tells this process and the others which servers have changed; without any, all may have
 * @param options.rentersOf how many people rent each of these servers
 * @param options.emailsOf the addresses of people, by user id; deleted ones have none
 * @param options.versionEnds forgets what belongs to the version that is deployed until now, in the transaction that ends it
 */
export function createDeployments(options: {
  db: CatalogueDb;
  clock: Clock;
  changed(...serverIds: string[]): Promise<void>;
  rentersOf(serverIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
  emailsOf(userIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  versionEnds(query: Query, serverId: string): Promise<unknown>;
}): Deployments {
  const { db, clock } = options;
  const { changed, together } = gatherChanges(options.changed);

  const countRenters = async (serverId: string) => (await options.rentersOf([serverId])).get(serverId) ?? 0;

  /** @param by who must have been shown what is stored, where they say what they were shown */
  async function inTurn<T>(work: (tx: Tx, at: Date) => Promise<T>, by?: DecidedBy): Promise<T> {
    try {
      return await db.transaction().execute(async (tx) => {
        await versions.lockDeployments(tx);
        return work(tx, new Date(clock.now()));
      });
    } catch (error) {
      // told outside of the transaction: the embedded database runs one thing at a time
      throw error instanceof ManifestMoved ? await tellMoved(error, by?.actorId, options.emailsOf) : error;
    }
  }

  const versionEnds = (tx: Tx, serverId: string) => options.versionEnds(queryWithin(tx), serverId);
  const revisionNow = async (tx: Tx, serverId: string) => revisionOf(await findCurrentHeadsOf(tx, serverId));

  return {
    ...createManifestReads(db, options.emailsOf),

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

    reread: (serverIds = []) => changed(...serverIds),

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
