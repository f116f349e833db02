import { maxRelatedServers } from '@souk/contract/catalogue/related-servers.ts';
import type { ServerIndex } from './server-index.ts';
import type { CatalogueServer, CatalogueSnapshot } from '../snapshot/snapshot.ts';

/** Other servers that the users of a server use, the most related first, by its id. */
export type UsedTogether = ReadonlyMap<string, readonly string[]>;

/**
 * Returns other servers for a server's page: those used together with it, then those of its category in the order of
 * the home page.
 */
export function relatedServers(
  server: CatalogueServer,
  snapshot: CatalogueSnapshot,
  index: ServerIndex,
  together: UsedTogether,
): { server: CatalogueServer; usedTogether: boolean }[] {
  const used = (together.get(server.id) ?? []).flatMap((id) => snapshot.byId.get(id) ?? []).slice(0, maxRelatedServers);
  const isNamed = new Set([server.id, ...used.map(({ id }) => id)]);
  const alike: CatalogueServer[] = [];
  for (const { server: other } of index.inOrder('featured')) {
    if (used.length + alike.length >= maxRelatedServers) break;
    if (other.manifest.category === server.manifest.category && !isNamed.has(other.id)) alike.push(other);
  }
  return [
    ...used.map((other) => ({ server: other, usedTogether: true })),
    ...alike.map((other) => ({ server: other, usedTogether: false })),
  ];
}
