import type { Manifest } from '@souk/contract/manifest.ts';
import type { ToolChange } from '@souk/contract/tool-changes.ts';
import type { Clock } from '#platform/clock.ts';
import { SoukError } from '#platform/errors.ts';
import { decideToolChange, findPendingChanges } from './decide-tool-change.ts';
import {
  deleteManifest,
  deployVersion,
  stageVersion,
  undeployServer,
  uploadVersion,
  type DecidedBy,
  type StagedBy,
} from './manifest-versions.ts';
import { codeOfChanges, requireShown } from './shown-code.ts';
import * as versions from './version-store.ts';
import type { CatalogueDb, Tx } from './tables.ts';

type Refused = { id: string; error: SoukError };

/** What an operator or administrator decides on servers. Each decision is stored with its audit row or not at all. */
export type Deployments = {
  /**
   * Puts a manifest in staging. `unchanged` when exactly this version is known already.
   * @throws SoukError manifest_conflict when the version is known with other content
   */
  stage(manifest: Manifest, by: StagedBy): Promise<'staged' | 'unchanged'>;
  /**
   * Puts an administrator's manifest in staging, also a version that was taken out before.
   * @param only the id of a server that must be known
   * @throws SoukError manifest_conflict, not_found
   */
  upload(manifest: Manifest, by: DecidedBy, only?: string): Promise<'staged' | 'unchanged'>;
  /**
   * Takes a server out of the catalogue and out of staging; its versions are kept. Answers how many people rent it.
   * @throws SoukError not_found
   */
  deleteManifest(serverId: string, by: DecidedBy): Promise<{ renters: number }>;
  /**
   * Makes everything that is staged live.
   * @param check throws for a manifest that must not be deployed; the others are
   */
  deployStaged(by: DecidedBy, check: (manifest: Manifest) => void): Promise<{ deployed: string[]; refused: Refused[] }>;
  /** Reads what is deployed again, here and on every replica. */
  reread(): Promise<void>;
  /** Makes a version live. @throws SoukError not_found */
  deploy(serverId: string, version: string, by?: DecidedBy): Promise<void>;
  /**
   * Stages a manifest and makes it live. `unchanged` when exactly this version is live already.
   * @throws SoukError manifest_conflict
   */
  deployManifest(manifest: Manifest, by: DecidedBy): Promise<'deployed' | 'unchanged'>;
  /**
   * Takes a server out of the catalogue and keeps its history. Answers the version that was live, and how many people rent it.
   * @throws SoukError not_found
   */
  undeploy(serverId: string, by: DecidedBy): Promise<{ version: string; renters: number }>;
  /**
   * Approves the pending changes of a server's tools, of all of them or of those named.
   * @param shown the code of all pending changes, as they were read
   * @throws SoukError not_found when none is pending, or a named tool has none; changed_since_shown: then nothing is approved
   */
  approveTools(serverId: string, tools: readonly string[], shown: string, by: DecidedBy): Promise<ToolChange[]>;
  /** The changes of a server's tools that wait for an approval, and the code that names exactly these. */
  pendingTools(serverId: string): Promise<{ changes: ToolChange[]; code: string }>;
  /** All known versions of a server, in any status. */
  versions(serverId: string): Promise<versions.ManifestRow[]>;
  /** Those of all servers, but for the superseded ones of servers that have another. */
  currentVersions(): Promise<versions.ManifestRow[]>;
};

/**
 * @param options.changed tells this process and the others that the stored catalogue has changed
 * @param options.countRenters how many people rent a server
 */
export function createDeployments(options: {
  db: CatalogueDb;
  clock: Clock;
  changed(serverId: string): Promise<void>;
  countRenters(serverId: string): Promise<number>;
}): Deployments {
  const { db, clock, changed, countRenters } = options;

  function inTurn<T>(work: (tx: Tx, at: Date) => Promise<T>): Promise<T> {
    return db.transaction().execute(async (tx) => {
      await versions.lockDeployments(tx);
      return work(tx, new Date(clock.now()));
    });
  }

  return {
    stage: (manifest, by) => inTurn((tx) => stageVersion(tx, manifest, by)),

    upload: (manifest, by, only) => inTurn((tx, at) => uploadVersion(tx, manifest, by, only, at)),

    async deleteManifest(serverId, by) {
      const renters = await countRenters(serverId);
      await inTurn((tx, at) => deleteManifest(tx, serverId, by, at, renters));
      await changed(serverId);
      return { renters };
    },

    async deployStaged(by, check) {
      const result = await inTurn(async (tx, at) => {
        const rows = await versions.findCurrentVersions(tx);
        const deployed: string[] = [];
        const refused: Refused[] = [];
        for (const { serverId, version, body } of rows.filter(({ status }) => status === 'staging')) {
          const error = refusalOf(() => check(body));
          if (error) refused.push({ id: serverId, error });
          else {
            await deployVersion(tx, serverId, version, by, at);
            deployed.push(serverId);
          }
        }
        return { deployed, refused };
      });
      if (result.deployed.length > 0) await changed('');
      return result;
    },

    reread: () => changed(''),

    async deploy(serverId, version, by = { via: 'start' }) {
      await inTurn((tx, at) => deployVersion(tx, serverId, version, by, at));
      await changed(serverId);
    },

    async deployManifest(manifest, by) {
      const { id, version } = manifest;
      const result = await inTurn(async (tx, at) => {
        const userId = by.actorId;
        const staged = await stageVersion(tx, manifest, { origin: 'admin', ...(userId !== undefined && { userId }) });
        const live = await versions.findDeployed(tx, id);
        if (staged === 'unchanged' && live?.manifest.version === version) return 'unchanged';
        await deployVersion(tx, id, version, by, at);
        return 'deployed';
      });
      if (result === 'deployed') await changed(id);
      return result;
    },

    async undeploy(serverId, by) {
      const renters = await countRenters(serverId);
      const version = await inTurn((tx, at) => undeployServer(tx, serverId, by, at, renters));
      await changed(serverId);
      return { version, renters };
    },

    async approveTools(serverId, tools, shown, by) {
      const approved = await inTurn(async (tx, at) => {
        const pending = await findPendingChanges(tx, serverId);
        const unknown = tools.filter((name) => !pending.some((change) => change.tool === name));
        if (unknown.length > 0) {
          throw new SoukError('not_found', { message: `Not under review at ${serverId}: ${unknown.join(', ')}` });
        }
        const chosen = tools.length === 0 ? pending : pending.filter((change) => tools.includes(change.tool));
        if (chosen.length === 0)
          throw new SoukError('not_found', { message: `No tool of ${serverId} is under review` });
        const what = `What is under review at ${serverId}`;
        requireShown(shown, codeOfChanges(pending), what, `manifest diff ${serverId}`);
        const decision = { verdict: 'approved', by: by.actorId, reason: by.reason } as const;
        const decided: ToolChange[] = [];
        for (const { id } of chosen) decided.push(await decideToolChange(tx, id, decision, at));
        return decided;
      });
      await changed(serverId);
      return approved;
    },

    async pendingTools(serverId) {
      const changes = await findPendingChanges(db, serverId);
      return { changes, code: codeOfChanges(changes) };
    },

    versions: (serverId) => versions.findManifestVersions(db, serverId),
    currentVersions: () => versions.findCurrentVersions(db),
  };
}

function refusalOf(check: () => void): SoukError | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof SoukError) return error;
    throw error;
  }
}
