import { ownUri, type CatalogueServer } from '#features/catalogue/index.ts';
import { readUriTemplate, type UriTemplate } from '#platform/uri-template.ts';
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
 * Finds the server of a resource URI: first among listed resources, then templates, the most exact first, then among the
 * pages of tools (ui://, MCP Apps). On /mcp a prefix with the server's name (souk://slug/…, ui://souk/slug/…) identifies the
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
  const owner =
    ownerByTemplate(visible.servers, address) ?? visible.servers.find((server) => showsInClient(server, address));
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
 * The server whose template says most of a URI by its beginning: `notes://{+path}` stands behind `notes://note/{id}` of
 * another server. Of two that say as much, the one that was deployed first.
 */
function ownerByTemplate(servers: readonly CatalogueServer[], address: string): CatalogueServer | undefined {
  const [owner] = servers
    .flatMap((server) => {
      const template = templateOf(server, address);
      return template ? [{ server, said: template.beginning.length }] : [];
    })
    .toSorted((a, b) => b.said - a.said || a.server.deployedAtMs - b.server.deployedAtMs);
  return owner?.server;
}

/**
 * How much of an address is matched against one server's templates, in characters times templates. A server may have hundreds
 * of templates, and each match takes time; with the prefix of the server, an address needs none.
 */
const mostMatched = 64 * 1024;
/** What a match takes besides its characters, in characters: an address may have none. */
export const matchCost = 16;

/** Whether one of a server's templates contains a URI, on /mcp under the same URI. */
export function hasResource(server: CatalogueServer, address: string): boolean {
  return templateOf(server, address) !== undefined;
}

function templateOf(server: CatalogueServer, address: string): UriTemplate | undefined {
  let matched = 0;
  for (const template of bareTemplates(server)) {
    if (!address.startsWith(template.beginning)) continue;
    matched += address.length + matchCost;
    if (matched > mostMatched) return undefined;
    if (template.matches(address)) return template;
  }
  return undefined;
}

/** The templates under which addresses are read without a prefix, those that say most first: read once for each state. */
const readTemplates = new WeakMap<CatalogueServer['templates'], readonly UriTemplate[]>();

function bareTemplates({ templates }: CatalogueServer): readonly UriTemplate[] {
  let read = readTemplates.get(templates);
  if (!read) {
    read = templates
      .filter(({ name, exposedName }) => exposedName === name)
      .map(({ name }) => readUriTemplate(name))
      .toSorted((a, b) => b.beginning.length - a.beginning.length);
    readTemplates.set(templates, read);
  }
  return read;
}

function found(server: CatalogueServer, own: string, address: string): FoundResource {
  return { server, uri: own, expose: (uri) => (uri === own ? address : uri) };
}

/** Whether a tool of the server shows this page. Pages of tools need not be listed. */
function showsInClient(server: CatalogueServer, address: string): boolean {
  return server.tools.some(({ definition }) => pagesOf(definition['_meta']).includes(address));
}
