import { ownUri, type CatalogueItem, type CatalogueServer } from '#features/catalogue/index.ts';
import { normalUri } from '#platform/text/normal-uri.ts';
import { pagesOf } from './app-pages.ts';
import { allTemplates, bareTemplates, hasResource, templateOf } from './own-templates.ts';
import type { RequestContext } from './request-context.ts';
import type { Hidden, Visible } from './visible.ts';

export type FoundResource = {
  server: CatalogueServer;
  uri: string;
  /** Turns a URI in the server's answer into the one that the context used. */
  expose(uri: string): string;
};

/**
 * Finds the server of a resource URI: first among listed resources, then templates, the most exact first, then among the
 * pages of tools (ui://, MCP Apps). On /mcp a prefix with the server's name (souk://slug/…, ui://souk/slug/…) identifies the
 * owner; it is used for URIs that collide and for linked ones that are in no list. On a server's own link every URI is
 * that server's.
 */
export function findResource(context: RequestContext, visible: Visible, address: string): FoundResource | undefined {
  if (context.serverId !== undefined) {
    const [server] = visible.servers;
    return server && found(server, ownSpelling(server, address), address);
  }
  for (const server of visible.servers) {
    const own = ownUri(server.slug, address);
    if (own !== address) return found(server, ownSpelling(server, own), address);
    if (server.resources.some((item) => item.exposedName === address)) return found(server, address, address);
  }
  const listed = ownerByOtherSpelling(visible.servers, address);
  if (listed) return found(listed.server, listed.item.name, address);
  const template = ownerByTemplate(visible.servers, address);
  if (template) return found(template.server, template.own, address);
  const owner = visible.servers.find((server) => showsInClient(server, address));
  return owner && found(owner, address, address);
}

/** A server's resources by the normal form of their URIs. */
const bySpelling = new WeakMap<CatalogueServer['resources'], ReadonlyMap<string, CatalogueItem>>();

function listedAs({ resources }: CatalogueServer, address: string): CatalogueItem | undefined {
  let items = bySpelling.get(resources);
  if (!items) {
    // of two resources with one normal form, the first counts
    items = new Map(resources.map((item) => [normalUri(item.name), item] as const).toReversed());
    bySpelling.set(resources, items);
  }
  return items.get(normalUri(address));
}

/** The server's own spelling of an address that a client wrote. */
function ownSpelling(server: CatalogueServer, address: string): string {
  if (server.resources.some(({ name }) => name === address)) return address;
  return listedAs(server, address)?.name ?? templateOf(address, allTemplates(server))?.own ?? address;
}

/** The first deployed server that lists the address in another spelling. */
function ownerByOtherSpelling(servers: readonly CatalogueServer[], address: string) {
  const [owner] = servers
    .flatMap((server) => {
      const item = listedAs(server, address);
      return item && item.exposedName === item.name ? [{ server, item }] : [];
    })
    .toSorted((a, b) => a.server.deployedAtMs - b.server.deployedAtMs);
  return owner;
}

/** Finds the server of a resource URI among those that the user may know about but does not see. */
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
 * The server whose template has the longest fixed beginning: `notes://note/{id}` of one server comes before `notes://{+path}`
 * of another. On a tie, the server that was deployed first.
 */
function ownerByTemplate(servers: readonly CatalogueServer[], address: string) {
  const [owner] = servers
    .flatMap((server) => {
      const found = templateOf(address, bareTemplates(server));
      return found ? [{ server, own: found.own, fixedLength: found.fixedLength }] : [];
    })
    .toSorted((a, b) => b.fixedLength - a.fixedLength || a.server.deployedAtMs - b.server.deployedAtMs);
  return owner;
}

function found(server: CatalogueServer, own: string, address: string): FoundResource {
  const isOwn = (uri: string) => uri === own || normalUri(uri) === normalUri(own);
  return { server, uri: own, expose: (uri) => (isOwn(uri) ? address : uri) };
}

/** Whether a tool of the server shows this page. Pages of tools need not be listed. */
function showsInClient(server: CatalogueServer, address: string): boolean {
  return server.tools.some(({ definition }) => pagesOf(definition['_meta']).includes(address));
}
