import type { ListedManifest, ManifestOrigin } from '@souk/contract/admin-manifests.ts';
import type { CatalogueServer } from '../snapshot.ts';
import type { ManifestHead } from './manifest-heads.ts';

/** A manifest as administrators see it among others (specification part 2, section 3). */
export function presentManifest(given: {
  /** The deployed version, else the staged one. */
  shown: ManifestHead;
  deployedVersion: string | undefined;
  staged: { version: string; origin: ManifestOrigin } | undefined;
  live: CatalogueServer | undefined;
  renters: number;
}): ListedManifest {
  const { shown, deployedVersion, staged, live, renters } = given;
  const { serverId: id, name, serviceType, version, author, description, connection, registryName } = shown;
  const count = (items: readonly unknown[] | undefined) => items?.length ?? 0;
  return {
    id,
    name,
    serviceType,
    version,
    author: author ?? null,
    description,
    isActive: deployedVersion !== undefined,
    connection,
    capabilities: { tools: count(live?.tools), prompts: count(live?.prompts), resources: count(live?.resources) },
    deployedVersion: deployedVersion ?? null,
    stagedVersion: staged?.version ?? null,
    stagedOrigin: staged?.origin ?? null,
    status: live?.status ?? null,
    ...(live?.statusDetail !== undefined && { statusDetail: live.statusDetail }),
    toolsUnderReview: count(live?.toolsUnderReview),
    renters,
    ...(registryName !== undefined && { registryName }),
  };
}
