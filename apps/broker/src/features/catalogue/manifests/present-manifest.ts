import type { ListedManifest, ManifestOrigin } from '@souk/contract/admin/manifests.ts';
import { servedTools, toolsOfEveryClient } from '../snapshot/served-tools.ts';
import { hiddenTools, type CatalogueServer } from '../snapshot/snapshot.ts';
import type { Removal } from './find-removals.ts';
import type { ManifestHead } from './manifest-heads.ts';

/** A manifest in the administrators' list (specification part 2, section 3). */
export function presentManifest({
  shown,
  staged,
  live,
  renters,
  gone,
}: {
  /** The deployed version, else the staged one. */
  shown: ManifestHead;
  staged: { version: string; origin: ManifestOrigin } | undefined;
  live: CatalogueServer | undefined;
  renters: number;
  gone?: Removal | undefined;
}): ListedManifest {
  const isActive = shown.status === 'deployed';
  const { serverId: id, name, serviceType, version, author, description, connection, registryName } = shown;
  const askingTools = live ? servedTools(live).length - toolsOfEveryClient(live).length : 0;
  const count = (items: readonly unknown[] | undefined) => items?.length ?? 0;
  return {
    id,
    name,
    serviceType,
    version,
    author,
    description,
    isActive,
    connection,
    // the same counts as on the server's link and its page in the shop
    capabilities: {
      tools: count(live && servedTools(live)),
      prompts: count(live?.prompts),
      resources: count(live?.resources),
    },
    ...(askingTools > 0 && { askingTools }),
    deployedVersion: isActive ? version : null,
    stagedVersion: staged?.version ?? null,
    stagedOrigin: staged?.origin ?? null,
    status: live?.status ?? null,
    ...(live?.statusDetail !== undefined && { statusDetail: live.statusDetail }),
    toolsUnderReview: count(live && hiddenTools(live).waiting),
    renters,
    ...(gone !== undefined && { gone }),
    ...(registryName !== null && { registryName }),
  };
}
