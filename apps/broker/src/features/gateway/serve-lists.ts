import type { Server, Tool } from '@modelcontextprotocol/server';
import type { CatalogueItem, CatalogueServer } from '#features/catalogue/index.ts';
import { exposePages } from './expose-links.ts';
import type { GatewayParts } from './gateway-parts.ts';
import { pageOf } from './paginate.ts';
import { shownName, visibleTo, type Person } from './person.ts';
import { needsTask } from './task-support.ts';

/** Lists change when a service is deployed or switched: a client may keep one for this long. */
const listTtlMs = 30_000;
const cache = { ttlMs: listTtlMs, cacheScope: 'private' as const };

/**
 * tools/list, prompts/list, resources/list and resources/templates/list: from the stored catalogue, never from a server.
 * @param ownTools the gateway's own, in front of all others and alone in compact mode
 */
export function serveLists(server: Server, person: Person, parts: GatewayParts, ownTools: readonly Tool[]): void {
  const servers = async () => (await visibleTo(person, parts.catalogue.snapshot(), parts.access)).servers;

  // The catalogue's definitions are the upstreams' own and were validated when they were discovered; their type is
  // wider than the SDK's because they are kept with every field, also those that this SDK does not know.
  server.setRequestHandler('tools/list', async ({ params }) => {
    const isCompact = ownTools.length > 0 && (await parts.isCompact(person.caller));
    const listed = isCompact ? [] : (await servers()).flatMap((from) => toolsOf(person, from));
    const page = pageOf('tools', [...ownTools, ...listed], params?.cursor);
    return { tools: page.items, ...page.next, ...cache };
  });
  server.setRequestHandler('prompts/list', async ({ params }) => {
    const listed = (await servers()).flatMap((from) => from.prompts);
    const page = pageOf('prompts', listed, params?.cursor);
    const prompts = page.items.map((item) => ({ ...item.definition, name: shownName(person, item) }));
    return { prompts, ...page.next, ...cache };
  });
  server.setRequestHandler('resources/list', async ({ params }) => {
    const listed = (await servers()).flatMap((from) => from.resources);
    const page = pageOf('resources', listed, params?.cursor);
    const resources = page.items.map((item) => ({
      ...(item.definition as { name: string }),
      uri: shownName(person, item),
    }));
    return { resources, ...page.next, ...cache };
  });
  server.setRequestHandler('resources/templates/list', async ({ params }) => {
    const listed = (await servers()).flatMap((from) => from.templates);
    const page = pageOf('templates', listed, params?.cursor);
    const resourceTemplates = page.items.map((item) => ({
      ...(item.definition as { name: string }),
      uriTemplate: shownName(person, item),
    }));
    return { resourceTemplates, ...page.next, ...cache };
  });
}

function toolsOf(person: Person, from: CatalogueServer): Tool[] {
  return from.tools.filter((item) => !needsTask(item)).map((item) => listedTool(person, from, item));
}

/** A tool as listed: its upstream's definition, our name, and what only we know of it in `_meta`. */
function listedTool(person: Person, from: CatalogueServer, item: CatalogueItem): Tool {
  const marks = {
    ...(item.creditCost > 0 && { 'souk/creditCost': item.creditCost }),
    // what was last known of a server that does not answer now
    ...(from.status !== 'connected' && { 'souk/stale': true }),
  };
  const definition = item.definition as Pick<Tool, 'inputSchema' | '_meta'>;
  const meta = definition._meta && exposePages(person, from, definition._meta);
  return {
    ...definition,
    name: shownName(person, item),
    ...((meta || Object.keys(marks).length > 0) && { _meta: { ...meta, ...marks } }),
  };
}
