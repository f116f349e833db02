import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server';
import { exposeUri, type CatalogueServer } from '#features/catalogue/index.ts';
import { withPages } from './app-pages.ts';
import { hasResource } from './find-resource.ts';
import type { Person } from './person.ts';

/**
 * A server's links to its resources, so that they can be read on the link where they were given. On /mcp an address that
 * stands in none of the server's lists says nothing of its owner: it gets the server's name in front.
 */
export function exposeLinks<Result extends Pick<CallToolResult, 'content'>>(
  person: Person,
  server: CatalogueServer,
  result: Result,
): Result {
  if (person.serverId !== undefined || !result.content?.some(isLink)) return result;
  return { ...result, content: result.content.map((block) => exposeLink(server, block)) };
}

/** A tool's `_meta`, so that the pages which it names are its own server's: others may use the same addresses. */
export function exposePages(person: Person, server: CatalogueServer, meta: Readonly<Record<string, unknown>>) {
  if (person.serverId !== undefined) return meta;
  return withPages(meta, (uri) => listedName(server, uri) ?? exposeUri(server.slug, uri));
}

/** One block of a tool's or prompt's answer. */
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
