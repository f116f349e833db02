import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server';
import { exposeUri, type CatalogueServer } from '#features/catalogue/index.ts';
import { normalUri } from '#platform/text/normal-uri.ts';
import { pagesOf, withPages } from './app-pages.ts';
import { hasResource, matchCost } from './own-templates.ts';
import type { RequestContext } from './request-context.ts';

/**
 * Rewrites the URIs of a server's resources, linked and embedded, and of the pages in `_meta`, so that they can be read on
 * the link where the client got them. On /mcp, a URI that is in none of the server's lists gets the server's name as a
 * prefix, because it does not identify its owner. Web addresses stay: clients fetch them directly (2026-07-28, Resources).
 */
export function exposeLinks<Result extends Pick<CallToolResult, 'content' | '_meta'>>(
  context: RequestContext,
  server: CatalogueServer,
  result: Result,
): Result {
  if (context.serverId !== undefined) return result;
  const { content, _meta: meta } = result;
  const pages = meta && pagesOf(meta).length > 0 ? exposePages(context, server, meta) : undefined;
  if (!pages && !content?.some(isLink)) return result;
  const expose = linkExposer(server);
  return { ...result, ...(content && { content: content.map(expose) }), ...(pages && { _meta: pages }) };
}

/** Rewrites the page URIs in a tool's `_meta` to name its server: other servers may use the same URIs. */
export function exposePages(context: RequestContext, server: CatalogueServer, meta: Readonly<Record<string, unknown>>) {
  if (context.serverId !== undefined) return meta;
  return withPages(meta, (uri) => listedName(server, uri) ?? exposeUri(server.slug, uri));
}

/**
 * How much of an answer's links is matched against templates, in characters times templates: a server chooses both, and
 * may send thousands of each. Links beyond that get the prefix, under which they can always be read.
 */
const mostMatched = 250_000;

/** Rewrites the blocks of one answer of a tool or prompt. */
export function linkExposer(server: CatalogueServer): (block: ContentBlock) => ContentBlock {
  let matched = 0;
  return (block) => {
    if (block.type === 'resource_link') return { ...block, uri: expose(block.uri) };
    if (block.type !== 'resource') return block;
    return { ...block, resource: { ...block.resource, uri: expose(block.resource.uri) } };
  };

  function expose(uri: string): string {
    const listed = listedName(server, uri);
    if (listed !== undefined) return listed;
    if (isOfWeb(uri)) return uri;
    matched += (uri.length + matchCost) * server.templates.length;
    if (matched <= mostMatched && hasResource(server, uri)) return uri;
    return exposeUri(server.slug, uri);
  }
}

/** Exposed names by the server's own URIs, built once for each state of its catalogue. */
const listedNames = new WeakMap<CatalogueServer['resources'], ReadonlyMap<string, string>>();

function listedName({ resources }: CatalogueServer, uri: string): string | undefined {
  let names = listedNames.get(resources);
  if (!names) {
    // of two resources with one name, the first counts
    const entries = (spell: (uri: string) => string) =>
      resources.map((item) => [spell(item.name), item.exposedName] as const).toReversed();
    names = new Map([...entries(normalUri), ...entries((uri) => uri)]);
    listedNames.set(resources, names);
  }
  return names.get(uri) ?? names.get(normalUri(uri));
}

const isOfWeb = (uri: string) => /^https?:\/\//i.test(uri);
const isLink = ({ type }: ContentBlock) => type === 'resource_link' || type === 'resource';
