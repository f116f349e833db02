import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server';
import { exposeUri, type CatalogueServer } from '#features/catalogue/index.ts';
import { withPages } from './app-pages.ts';
import { hasResource } from './find-resource.ts';
import type { RequestContext } from './request-context.ts';

/**
 * Rewrites a server's resource links so that they can be read on the link where the client got them. On /mcp, a URI that
 * is in none of the server's lists gets the server's name as a prefix, because it does not identify its owner.
 */
export function exposeLinks<Result extends Pick<CallToolResult, 'content'>>(
  context: RequestContext,
  server: CatalogueServer,
  result: Result,
): Result {
  if (context.serverId !== undefined || !result.content?.some(isLink)) return result;
  return { ...result, content: result.content.map((block) => exposeLink(server, block)) };
}

/** Rewrites the page URIs in a tool's `_meta` to name its server: other servers may use the same URIs. */
export function exposePages(context: RequestContext, server: CatalogueServer, meta: Readonly<Record<string, unknown>>) {
  if (context.serverId !== undefined) return meta;
  return withPages(meta, (uri) => listedName(server, uri) ?? exposeUri(server.slug, uri));
}

/** Rewrites one block of a tool's or prompt's answer. */
export function exposeLink(server: CatalogueServer, block: ContentBlock): ContentBlock {
  if (block.type !== 'resource_link') return block;
  const listed = listedName(server, block.uri);
  if (listed !== undefined) return { ...block, uri: listed };
  return hasResource(server, block.uri) ? block : { ...block, uri: exposeUri(server.slug, block.uri) };
}

function listedName(server: CatalogueServer, uri: string): string | undefined {
  return server.resources.find((item) => item.name === uri)?.exposedName;
}

const isLink = (block: ContentBlock) => block.type === 'resource_link';
