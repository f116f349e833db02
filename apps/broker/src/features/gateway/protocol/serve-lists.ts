import type { Server, Tool } from '@modelcontextprotocol/server';
import type { CatalogueItem, CatalogueServer } from '#features/catalogue/index.ts';
import { asRecord } from '#platform/json.ts';
import { ownMeta, withoutOwnMeta } from '#platform/own-meta.ts';
import { exposePages } from '../view/expose-links.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import { clientCapabilities } from './forward-request.ts';
import { pageOf } from './paginate.ts';
import { announcePrice } from '../view/announce-price.ts';
import { isListed } from '../view/is-listed.ts';
import { shownName, type RequestContext } from '../view/request-context.ts';
import { visibleTo } from '../view/visible.ts';
import { alwaysLoadKey } from '../meta-tools/meta-tool-definitions.ts';

/** How long a client may cache a list: it only changes when a service is deployed or switched. */
const listTtlMs = 30_000;
const cache = { ttlMs: listTtlMs, cacheScope: 'private' as const };

/**
 * Serves tools/list, prompts/list, resources/list and resources/templates/list from the stored catalogue, never from a
 * server.
 * @param ownTools the built-in tools: listed first, and the only ones in compact mode
 */
export function serveLists(
  server: Server,
  context: RequestContext,
  parts: GatewayParts,
  ownTools: readonly Tool[],
): void {
  const servers = async () => (await visibleTo(context, parts.catalogue.snapshot(), parts.view)).servers;

  // why the casts: definitions were validated at discovery; they keep fields that this SDK's types do not know
  server.setRequestHandler('tools/list', async ({ params }, sdk) => {
    const seenBy = { ...context, capabilities: clientCapabilities(sdk, server.getClientCapabilities()) };
    const isCompact = ownTools.length > 0 && (await parts.isCompact(context.caller));
    const listed = isCompact ? [] : (await servers()).flatMap((from) => toolsOf(seenBy, from));
    const page = pageOf('tools', [...ownTools, ...listed], params?.cursor);
    return { tools: page.items, ...page.next, ...cache };
  });
  server.setRequestHandler('prompts/list', async ({ params }) => {
    const listed = (await servers()).flatMap((from) => from.prompts);
    const page = pageOf('prompts', listed, params?.cursor);
    const prompts = page.items.map((item) => ({ ...titled(context, item), name: shownName(context, item) }));
    return { prompts, ...page.next, ...cache };
  });
  server.setRequestHandler('resources/list', async ({ params }) => {
    const listed = (await servers()).flatMap((from) => from.resources);
    const page = pageOf('resources', listed, params?.cursor);
    const resources = page.items.map((item) => ({
      ...(definitionOf(item) as { name: string }),
      uri: shownName(context, item),
    }));
    return { resources, ...page.next, ...cache };
  });
  server.setRequestHandler('resources/templates/list', async ({ params }) => {
    const listed = (await servers()).flatMap((from) => from.templates);
    const page = pageOf('templates', listed, params?.cursor);
    const resourceTemplates = page.items.map((item) => ({
      ...(definitionOf(item) as { name: string }),
      uriTemplate: shownName(context, item),
    }));
    return { resourceTemplates, ...page.next, ...cache };
  });
}

function toolsOf(context: RequestContext, from: CatalogueServer): Tool[] {
  return from.tools
    .filter((item) => isListed(context.capabilities, item))
    .map((item) => listedTool(context, from, item));
}

/** A server's definition, without `_meta` that only we may write and without icons of other origins. */
function definitionOf({ definition }: CatalogueItem): CatalogueItem['definition'] {
  const meta = asRecord(definition['_meta']);
  const passed = meta && withoutOwnMeta(meta);
  const own = passed === meta ? definition : { ...definition, _meta: passed };
  return 'icons' in own ? withoutForeignIcons(own) : own;
}

/** The definition of an item. If the item's name had to be changed, its original name becomes its title, unless it has one. */
function titled(context: RequestContext, item: CatalogueItem): CatalogueItem['definition'] {
  const definition = definitionOf(item);
  if (shownName(context, item).endsWith(item.name) || 'title' in definition) return definition;
  if (asRecord(definition['annotations'])?.['title'] !== undefined) return definition;
  return { ...definition, title: item.name };
}

/** An icon within the definition. Not SVG, which may contain scripts. */
const enclosed = /^data:image\/(?:png|jpeg|webp);base64,/;

/** Removes icons that a client would load from an address of the server's choice, which would learn who uses it and when. */
function withoutForeignIcons({ icons, ...definition }: CatalogueItem['definition']): CatalogueItem['definition'] {
  const kept = (Array.isArray(icons) ? icons : []).filter((icon) => enclosed.test(String(asRecord(icon)?.['src'])));
  return kept.length > 0 ? { ...definition, icons: kept } : definition;
}

/** A tool as listed: the upstream's definition under our name, with our own facts in `_meta`. */
function listedTool(context: RequestContext, from: CatalogueServer, item: CatalogueItem): Tool {
  const marks = ownMeta({
    ...(item.creditCost > 0 && { creditCost: item.creditCost }),
    // the server does not answer now, so this is its last known definition
    ...(from.status !== 'connected' && { stale: true }),
  });
  const definition = announcePrice(item, titled(context, item)) as Pick<Tool, 'inputSchema' | '_meta'>;
  const meta = definition._meta && exposePages(context, from, withoutLoadHint(context, definition._meta));
  return {
    ...definition,
    name: shownName(context, item),
    ...((meta || Object.keys(marks).length > 0) && { _meta: { ...meta, ...marks } }),
  };
}

/** Removes the hint to always load a tool: alongside the tools of other servers, no server decides that. */
function withoutLoadHint({ serverId }: RequestContext, meta: Record<string, unknown>): Record<string, unknown> {
  if (serverId !== undefined || !(alwaysLoadKey in meta)) return meta;
  const { [alwaysLoadKey]: _hint, ...others } = meta;
  return others;
}
