import { UriTemplate } from '@modelcontextprotocol/server';
import { ownUri, type CatalogueServer } from '#features/catalogue/index.ts';
import type { Person, Visible } from './person.ts';

export type FoundResource = {
  server: CatalogueServer;
  /** The address that the server itself knows. */
  uri: string;
  /** Turns an address in the server's answer into the one that the person used. */
  expose(uri: string): string;
};

/**
 * Routes a resource address to its server: listed resources first, then templates, in the order of the lists.
 * On /mcp a server whose addresses collide with another's has them as souk://slug/…; that prefix always names the owner.
 */
export function findResource(person: Person, visible: Visible, address: string): FoundResource | undefined {
  for (const server of visible.servers) {
    const own = person.serverId === undefined ? ownUri(server.slug, address) : address;
    const prefixed = own !== address;
    const listed = server.resources.some((item) => (prefixed ? item.name === own : shown(person, item) === address));
    if (listed || (prefixed && matchesTemplate(server, own))) return found(server, own, address);
  }
  for (const server of visible.servers) {
    const templates = server.templates.filter(
      (item) => person.serverId !== undefined || item.exposedName === item.name,
    );
    if (templates.some((item) => matches(item.name, address))) return found(server, address, address);
  }
  return undefined;
}

const shown = (person: Person, item: { name: string; exposedName: string }) =>
  person.serverId === undefined ? item.exposedName : item.name;

function found(server: CatalogueServer, own: string, address: string): FoundResource {
  return { server, uri: own, expose: (uri) => (uri === own ? address : uri) };
}

function matchesTemplate(server: CatalogueServer, uri: string): boolean {
  return server.templates.some((item) => matches(item.name, uri));
}

function matches(template: string, uri: string): boolean {
  try {
    return new UriTemplate(template).match(uri) !== null;
  } catch {
    return false;
  }
}
