import type { Manifest } from '@souk/contract/manifest/manifest.ts';
import type { ToolChange } from '@souk/contract/catalogue/tool-changes.ts';
import { findHiddenChanges } from '../../review/approve-tools.ts';
import { findRejectedChanges } from '../../review/decide-tool-change.ts';
import { codeOfChanges } from '../../review/shown-code.ts';
import type { CatalogueDb } from '../../tables.ts';
import { findGone, type Gone } from '../find-gone.ts';
import { findSources, type SourceOfServer } from '../find-sources.ts';
import {
  findAnsweredVersion,
  findCurrentHeads,
  findHeads,
  findManifest,
  type ManifestHead,
} from '../manifest-heads.ts';

/** What is stored of manifests and of decisions on their tools. */
export type ManifestReads = {
  /** The changes of a server's tools that wait for an approval, those kept hidden, and the code that names exactly these. */
  pendingTools(serverId: string): Promise<{ changes: ToolChange[]; keptHidden: ToolChange[]; code: string }>;
  /** The decisions that tools of a server stay hidden, with the administrator's address unless the account is deleted. */
  rejectedTools(serverId: string): Promise<{ change: ToolChange; by: string | null }[]>;
  /** All known versions of a server, in any status, the newest first. */
  versions(serverId: string): Promise<ManifestHead[]>;
  /** What is deployed and staged of all servers, or of one without either the version that was live last. */
  currentVersions(): Promise<ManifestHead[]>;
  /** Of servers that are deployed or staged and came from a registry: where their newest import came from. Of all, or of one. */
  sources(serverId?: string): Promise<SourceOfServer[]>;
  /** The version whose server answered last; undefined where none has. */
  answeredVersion(serverId: string): Promise<string | undefined>;
  /** What took a server out of the catalogue and of staging; undefined where that is not known. */
  goneBy(serverId: string): Promise<Gone | undefined>;
  /** One version as it was written. */
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
    goneBy: async (serverId) => (await findGone(db, [serverId])).get(serverId),
    findManifest: (serverId, version) => findManifest(db, serverId, version),
  };
}
