import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { serverJsonSchema } from './registry.ts';

// A server card tells a client what it needs before connecting: the draft "MCP Server Cards" (SEP-2127), as
// modelcontextprotocol/experimental-ext-server-card has it at commit 8924e08 (2026-07-24, docs/discovery.md and schema.ts).

export const serverCardSchemaUrl = 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json';
export const serverCardMediaType = 'application/mcp-server-card+json';

export const serverCardSchema = serverJsonSchema.extend({
  $schema: z.literal(serverCardSchemaUrl),
  remotes: z.array(
    z.strictObject({
      type: z.literal('streamable-http'),
      url: z.url(),
      /** Protocol versions that the link supports, newest first. */
      supportedProtocolVersions: z.array(z.string()),
    }),
  ),
});
export type ServerCard = z.infer<typeof serverCardSchema>;

/** Fields of both endpoints. The draft reserves the link's path followed by `/server-card`. */
const card = {
  method: 'GET',
  access: 'public',
  anyOrigin: true,
  revalidated: { maxAgeSeconds: 3_600 },
  mediaType: serverCardMediaType,
  answer: serverCardSchema,
} as const;

export const getServerCard = endpoint({
  ...card,
  id: 'getServerCard',
  path: '/s/:serverId/mcp/server-card',
  summary: 'Returns the server card of one service',
  params: z.object({ serverId: z.string().max(100) }),
  errors: ['not_found'],
});

export const getLinkCard = endpoint({
  ...card,
  id: 'getLinkCard',
  path: '/mcp/server-card',
  summary: 'Returns the server card of the link with every service that the user may use',
});

export const serverCardEndpoints = [getServerCard, getLinkCard] as const;
