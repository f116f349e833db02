import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server';
import { exposeUri, type CatalogueServer } from '#features/catalogue/index.ts';
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

/** One block of a tool's or prompt's answer. */
export function exposeLink(server: CatalogueServer, block: ContentBlock): ContentBlock {
  if (block.type !== 'resource_link') return block;
  const listed = server.resources.find((item) => item.name === block.uri);
  if (listed) return { ...block, uri: listed.exposedName };
  return hasResource(server, block.uri) ? block : { ...block, uri: exposeUri(server.slug, block.uri) };
}

const isLink = (block: ContentBlock) => block.type === 'resource_link';
