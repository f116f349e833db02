import type { Manifest } from '@souk/contract/manifest/manifest.ts';
import type { ToolChange } from '@souk/contract/catalogue/tool-changes.ts';
import { findHiddenChanges } from '../../review/approve-tools.ts';
import { findRejectedChanges } from '../../review/decide-tool-change.ts';
import { codeOfChanges } from '../../review/shown-code.ts';
import type { CatalogueDb } from '../../tables.ts';
import { findRemovals, type Removal } from '../find-removals.ts';
import { findSources, type SourceOfServer } from '../find-sources.ts';
import {
  findAnsweredVersion,
  findCurrentHeads,
  findHeads,
  findManifest,
  type ManifestHead,
} from '../manifest-heads.ts';

export type ManifestReads = {
  /** Changes of a server's tools that wait for approval, those kept hidden, and a code for exactly these. */
  pendingTools(serverId: string): Promise<{ changes: ToolChange[]; keptHidden: ToolChange[]; code: string }>;
  /** Decisions that keep tools of a server hidden, with the administrator's address unless the account is deleted. */
  rejectedTools(serverId: string): Promise<{ change: ToolChange; by: string | null }[]>;
  /** All known versions of a server, newest first. */
  versions(serverId: string): Promise<ManifestHead[]>;
  /** The deployed and staged versions of all servers; for a server without either, the version that was live last. */
  currentVersions(): Promise<ManifestHead[]>;
  /** Registries of the newest imports of all deployed or staged servers, or of one. */
  sources(serverId?: string): Promise<SourceOfServer[]>;
  /** The version that answered last. */
  answeredVersion(serverId: string): Promise<string | undefined>;
  /** Action that removed a server from the catalogue and from staging, if known. */
  removedBy(serverId: string): Promise<Removal | undefined>;
  findManifest(serverId: string, version: string): Promise<Manifest | undefined>;
};

export function createManifestReads(
  db: CatalogueDb,
  emailsOf: (userIds: readonly string[]) => Promise<ReadonlyMap<string, string>>,
): ManifestReads {
  return {
    async pendingTools(serverId) {
      const hidden = await findHiddenChanges(db, serverId);
      return { ...hidden, code: codeOfChanges([...hidden.changes, ...hidden.keptHidden]) };
    },
    async rejectedTools(serverId) {
      const changes = await findRejectedChanges(db, serverId);
      const emails = await emailsOf([...new Set(changes.flatMap(({ decidedBy }) => decidedBy ?? []))]);
      return changes.map((change) => ({ change, by: emails.get(change.decidedBy ?? '') ?? null }));
    },
    versions: (serverId) => findHeads(db, serverId),
    currentVersions: () => findCurrentHeads(db),
    sources: (serverId) => findSources(db, serverId),
    answeredVersion: (serverId) => findAnsweredVersion(db, serverId),
    removedBy: async (serverId) => (await findRemovals(db, [serverId])).get(serverId),
    findManifest: (serverId, version) => findManifest(db, serverId, version),
  };
}
