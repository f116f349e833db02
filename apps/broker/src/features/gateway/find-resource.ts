import { UriTemplate } from '@modelcontextprotocol/server';
import { ownUri, type CatalogueServer } from '#features/catalogue/index.ts';
import { pagesOf } from './app-pages.ts';
import type { Person, Visible } from './person.ts';

export type FoundResource = {
  server: CatalogueServer;
  /** The address that the server itself knows. */
  uri: string;
  /** Turns an address in the server's answer into the one that the person used. */
  expose(uri: string): string;
};

/**
 * Routes a resource address to its server: listed resources first, then templates, in the order of the lists, then what
 * the servers' tools show in a client (ui://, MCP Apps). On /mcp a server's name in front (souk://slug/…, ui://souk/slug/…) always names
 * the owner: so are listed those that collide with another's, and linked those that stand in no list. On a server's own
 * link every address is its own.
 */
export function findResource(person: Person, visible: Visible, address: string): FoundResource | undefined {
  if (person.serverId !== undefined) {
    const [server] = visible.servers;
    return server && found(server, address, address);
  }
  for (const server of visible.servers) {
    const own = ownUri(server.slug, address);
    if (own !== address) return found(server, own, address);
    if (server.resources.some((item) => item.exposedName === address)) return found(server, address, address);
  }
  const byTemplate = visible.servers.find((server) =>
    server.templates.some((item) => item.exposedName === item.name && matches(item.name, address)),
  );
  const owner = byTemplate ?? visible.servers.find((server) => showsInClient(server, address));
  return owner && found(owner, address, address);
}

/** Whether a server's own lists have an address, on /mcp under this very name. */
export function hasResource(server: CatalogueServer, address: string): boolean {
  return server.templates.some((item) => item.exposedName === item.name && matches(item.name, address));
}

function found(server: CatalogueServer, own: string, address: string): FoundResource {
  return { server, uri: own, expose: (uri) => (uri === own ? address : uri) };
}

/** Pages of tools need not be listed. */
function showsInClient(server: CatalogueServer, address: string): boolean {
  return server.tools.some(({ definition }) => pagesOf(definition['_meta']).includes(address));
}

function matches(template: string, uri: string): boolean {
  try {
    return new UriTemplate(template).match(uri) !== null;
  } catch {
    return false;
  }
}
