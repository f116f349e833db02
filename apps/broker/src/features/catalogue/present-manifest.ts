import type { ListedManifest } from '@souk/contract/admin-manifests.ts';
import type { ManifestEntry } from './manage-manifests.ts';

/** A manifest as administrators see it among others (specification part 2, section 3). */
export function presentManifest({ id, body, live, deployed, staged }: ManifestEntry): ListedManifest {
  const { name, serviceType, version, author, description, connection, registryName } = body;
  const count = (items: readonly unknown[] | undefined) => items?.length ?? 0;
  return {
    id,
    name,
    serviceType,
    version,
    author: author ?? null,
    description,
    isActive: deployed !== undefined,
    connection,
    capabilities: { tools: count(live?.tools), prompts: count(live?.prompts), resources: count(live?.resources) },
    deployedVersion: deployed?.version ?? null,
    stagedVersion: staged?.version ?? null,
    status: live?.status ?? null,
    ...(live?.statusDetail !== undefined && { statusDetail: live.statusDetail }),
    toolsUnderReview: count(live?.toolsUnderReview),
    ...(registryName !== undefined && { registryName }),
  };
}
