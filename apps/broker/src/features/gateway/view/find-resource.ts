import { ownUri, type CatalogueServer } from '#features/catalogue/index.ts';
import { matchesTemplate } from '#platform/uri-template.ts';
import { pagesOf } from './app-pages.ts';
import type { RequestContext } from './request-context.ts';
import type { Visible } from './visible.ts';

export type FoundResource = {
  server: CatalogueServer;
  /** The server's own URI. */
  uri: string;
  /** Turns a URI in the server's answer into the one that the context used. */
  expose(uri: string): string;
};

/**
 * Finds the server of a resource URI: first among listed resources, then templates, in list order, then among the pages
 * of tools (ui://, MCP Apps). On /mcp a prefix with the server's name (souk://slug/…, ui://souk/slug/…) identifies the
 * owner; it is used for URIs that collide and for linked ones that are in no list. On a server's own link every URI is
 * that server's.
 */
export function findResource(context: RequestContext, visible: Visible, address: string): FoundResource | undefined {
  if (context.serverId !== undefined) {
    const [server] = visible.servers;
    return server && found(server, address, address);
  }
  for (const server of visible.servers) {
    const own = ownUri(server.slug, address);
    if (own !== address) return found(server, own, address);
    if (server.resources.some((item) => item.exposedName === address)) return found(server, address, address);
  }
  const byTemplate = visible.servers.find((server) =>
    server.templates.some((item) => item.exposedName === item.name && matchesTemplate(item.name, address)),
  );
  const owner = byTemplate ?? visible.servers.find((server) => showsInClient(server, address));
  return owner && found(owner, address, address);
}

/** Whether a server's own lists contain a URI, on /mcp under the same URI. */
export function hasResource(server: CatalogueServer, address: string): boolean {
  return server.templates.some((item) => item.exposedName === item.name && matchesTemplate(item.name, address));
}

function found(server: CatalogueServer, own: string, address: string): FoundResource {
  return { server, uri: own, expose: (uri) => (uri === own ? address : uri) };
}

/** Whether a tool of the server shows this page. Pages of tools need not be listed. */
function showsInClient(server: CatalogueServer, address: string): boolean {
  return server.tools.some(({ definition }) => pagesOf(definition['_meta']).includes(address));
}
