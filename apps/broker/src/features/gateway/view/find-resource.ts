import { ownUri, type CatalogueServer } from '#features/catalogue/index.ts';
import { matchesTemplate } from '#platform/uri-template.ts';
import { pagesOf } from './app-pages.ts';
import type { RequestContext } from './request-context.ts';
import type { Hidden, Visible } from './visible.ts';

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
  const byTemplate = visible.servers.find((server) => hasResource(server, address));
  const owner = byTemplate ?? visible.servers.find((server) => showsInClient(server, address));
  return owner && found(owner, address, address);
}

/** The server of a resource URI among those that the user may know and does not see. It is looked for in the same way. */
export function findHiddenResource(context: RequestContext, visible: Visible, address: string): Hidden | undefined {
  const listed = visible.hidden('resource', address);
  if (listed) return listed;
  const servers = visible.hiddenServers;
  const owner =
    context.serverId === undefined
      ? (servers.find(({ server }) => hasResource(server, address)) ??
        servers.find(({ server }) => showsInClient(server, address)))
      : servers[0];
  return owner && { ...owner, name: address };
}

/**
 * How much of an address is matched against one server's templates, in characters times templates. A server may have hundreds
 * of templates, and each match takes time; with the prefix of the server, an address needs none.
 */
const mostMatched = 64 * 1024;

/** Whether one of a server's templates contains a URI, on /mcp under the same URI. */
export function hasResource(server: CatalogueServer, address: string): boolean {
  let matched = 0;
  for (const { name, exposedName } of server.templates) {
    if (exposedName !== name || !address.startsWith(beginningOf(name))) continue;
    matched += address.length;
    if (matched > mostMatched) return false;
    if (matchesTemplate(name, address)) return true;
  }
  return false;
}

/** What every address of a template begins with. */
function beginningOf(template: string): string {
  const end = template.indexOf('{');
  return end === -1 ? template : template.slice(0, end);
}

function found(server: CatalogueServer, own: string, address: string): FoundResource {
  return { server, uri: own, expose: (uri) => (uri === own ? address : uri) };
}

/** Whether a tool of the server shows this page. Pages of tools need not be listed. */
function showsInClient(server: CatalogueServer, address: string): boolean {
  return server.tools.some(({ definition }) => pagesOf(definition['_meta']).includes(address));
}
