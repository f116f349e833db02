import type { findServers as findServersEndpoint } from '@souk/contract/catalogue/catalogue-search.ts';
import type { ParsedRequest } from '@souk/contract/endpoint.ts';
import { searchWords } from './search-words.ts';
import type { IndexedServer, ServerIndex } from './server-index.ts';
import type { CatalogueServer } from '../snapshot/snapshot.ts';

export type ServerQuery = ParsedRequest<typeof findServersEndpoint>['query'];

export type FoundServers = {
  servers: CatalogueServer[];
  /** `total`: the servers that match. */
  pagination: { page: number; pageSize: number; total: number; pages: number };
};

/**
 * Finds a page of the servers that match every word and every filter (spec part 1, section 5, and clarifications,
 * Marketplace). No query takes more than linear time in the length of the catalogue's texts.
 */
export function findServers(index: ServerIndex, query: ServerQuery): FoundServers {
  const words = searchWords(query.q);
  const found = index
    .inOrder(query.sort ?? 'name')
    .filter((server) => passes(server, query) && words.every((word) => server.text.includes(word)));
  const { pageSize } = query;
  const pages = Math.ceil(found.length / pageSize);
  const page = Math.max(1, Math.min(query.page, pages));
  return {
    servers: found.slice((page - 1) * pageSize, page * pageSize).map(({ server }) => server),
    pagination: { page, pageSize, total: found.length, pages },
  };
}

function passes({ server, tier, isFree }: IndexedServer, query: ServerQuery): boolean {
  return (
    (query.type === undefined || server.manifest.category === query.type) &&
    (query.tier === undefined || tier === query.tier) &&
    (query.price === undefined || isFree === (query.price === 'free')) &&
    (query.status === undefined || server.status === query.status)
  );
}
