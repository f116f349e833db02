import {
  findServers as findServersEndpoint,
  getCategories,
  getServer,
  suggestMatches,
} from '@souk/contract/catalogue/catalogue-search.ts';
import { getRelatedServers } from '@souk/contract/catalogue/related-servers.ts';
import { categorySchema } from '@souk/contract/manifest/manifest-basics.ts';
import { SoukError } from '#platform/errors.ts';
import type { Router } from '#platform/http/router.ts';
import type { Catalogue } from '../create-catalogue.ts';
import { findServers } from './find-servers.ts';
import {
  presentBrief,
  presentMatches,
  presentItems,
  presentResource,
  presentServer,
  type SoldTerms,
} from '../present.ts';
import { relatedServers, type UsedTogether } from './related-servers.ts';
import type { ServerIndex } from './server-index.ts';
import type { CatalogueServer, CatalogueSnapshot } from '../snapshot/snapshot.ts';
import { suggestMatches as findMatches } from './suggest-matches.ts';

/** Ids listed when a server is not found: a large catalogue has too many to read. */
const namedServers = 50;

/** Servers per category on the home page. The marketplace lists all of them. */
const namedOfCategory = 3;

/**
 * Mounts the calls that the shop reads: search, one server, suggestions. They answer from memory, with the same content
 * for all users: what a user owns or has switched on is not included.
 */
export function mountSearchRoutes(
  router: Router,
  parts: {
    catalogue: Catalogue;
    indexOf: (snapshot: CatalogueSnapshot) => ServerIndex;
    usedTogether: () => UsedTogether;
    soldTerms(server: CatalogueServer): SoldTerms;
  },
): void {
  const { catalogue, indexOf, soldTerms } = parts;
  const present = (server: CatalogueServer) => presentServer(server, soldTerms(server));

  router.route(findServersEndpoint, ({ query }) => {
    const snapshot = catalogue.snapshot();
    const { servers, pagination } = findServers(indexOf(snapshot), query);
    return { servers: servers.map(present), pagination, deployed: snapshot.servers.length };
  });

  router.route(getServer, ({ params }) => {
    const server = requireServer(catalogue.snapshot(), params.serverId);
    return {
      server: present(server),
      capabilities: [...presentItems(server)],
      resourceTemplates: server.templates.map(presentResource),
    };
  });

  router.route(getRelatedServers, ({ params }) => {
    const snapshot = catalogue.snapshot();
    const server = requireServer(snapshot, params.serverId);
    const related = relatedServers(server, snapshot, indexOf(snapshot), parts.usedTogether());
    return { servers: related.map(({ server: other, usedTogether }) => ({ ...presentBrief(other), usedTogether })) };
  });

  router.route(getCategories, () => {
    const servers = indexOf(catalogue.snapshot()).inOrder('featured');
    const byCategory = Map.groupBy(servers, ({ server }) => server.manifest.category);
    return {
      categories: categorySchema.options.flatMap((category) => {
        const all = byCategory.get(category);
        if (!all) return [];
        const named = all.slice(0, namedOfCategory).map(({ server }) => presentBrief(server));
        return [{ category, total: all.length, servers: named }];
      }),
    };
  });

  router.route(suggestMatches, ({ query }) =>
    presentMatches(findMatches(indexOf(catalogue.snapshot()), query.q, query.limit)),
  );
}

function requireServer(snapshot: CatalogueSnapshot, id: string): CatalogueServer {
  const server = snapshot.byId.get(id);
  if (!server) throw new SoukError('server_not_found', { message: notFoundText(snapshot, id) });
  return server;
}

/** Text of spec part 1, section 8: service detail. */
function notFoundText({ servers }: CatalogueSnapshot, id: string): string {
  if (servers.length === 0) return 'No MCP services found. The MCP broker may not be running.';
  const named = servers.slice(0, namedServers).map((server) => server.id);
  const more = servers.length - named.length;
  const list = more > 0 ? `${named.join(', ')} and ${more} more` : named.join(', ');
  return `MCP server with ID '${id}' not found. Available servers: ${list}`;
}
