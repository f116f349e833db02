import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { momentSchema } from '../times.ts';

// The deployed servers as a registry of MCP servers offers them: the generic registry API v0.1 of
// modelcontextprotocol/registry (docs/reference/api/openapi.yaml, 2025-12-01), its reading part, and server.json of 2025-12-11.

export const serverJsonSchemaUrl = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json';
/** Where registries say what they know of a version themselves. */
export const registryMetaKey = 'io.modelcontextprotocol.registry/official';

/** Characters of a description and of a title. */
export const maxRegistryText = 100;
const text = z.string().min(1).max(maxRegistryText);
const iso = z.iso.datetime();

/** One version of a server, by which clients connect to it through this shop. */
export const serverJsonSchema = z.strictObject({
  $schema: z.literal(serverJsonSchemaUrl),
  /** The shop's host read backwards, and the id of the server. */
  name: z
    .string()
    .min(3)
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: text,
  description: text,
  version: z.string().min(1).max(255),
  websiteUrl: z.url(),
  icons: z
    .array(
      z.strictObject({ src: z.url().max(255), mimeType: z.enum(['image/png', 'image/jpeg', 'image/webp']).optional() }),
    )
    .optional(),
  remotes: z.array(z.strictObject({ type: z.literal('streamable-http'), url: z.url() })),
});
export type ServerJson = z.infer<typeof serverJsonSchema>;

const registryEntry = z.object({
  server: serverJsonSchema,
  _meta: z.object({
    [registryMetaKey]: z.object({
      /** `deleted`: it was offered here, and is no longer. */
      status: z.enum(['active', 'deleted']),
      statusChangedAt: iso,
      publishedAt: iso,
      updatedAt: iso,
      /** Of the server's versions, the one that is offered, or that was the last. */
      isLatest: z.boolean(),
    }),
  }),
});
export type RegistryEntry = z.infer<typeof registryEntry>;

const registryList = z.object({
  servers: z.array(registryEntry),
  metadata: z.object({ count: z.int(), nextCursor: z.string().optional() }),
});

const bool = z.enum(['true', 'false']).transform((value) => value === 'true');
const ofServer = { serverName: z.string().max(200) };
const withDeleted = { include_deleted: bool.optional() };

export const listRegistryServers = endpoint({
  id: 'listRegistryServers',
  method: 'GET',
  path: '/v0.1/servers',
  summary: 'The deployed servers, as a registry of MCP servers lists them',
  access: 'public',
  anyOrigin: true,
  weight: 4,
  query: z.object({
    /** The id and version of the last server of the page before. */
    cursor: z
      .string()
      .regex(/^[a-z0-9][a-z0-9-]{0,62}:.{1,255}$/, 'is not a cursor of this list')
      .optional(),
    limit: z.coerce.number().int().min(1).max(100).default(30),
    /** Stands in the name or the title, in any case of letters. */
    search: z.string().max(200).optional(),
    /** Changed since then, with what was deleted since. */
    updated_since: momentSchema.optional(),
    /** `latest`, or exactly this one. */
    version: z.string().max(255).optional(),
    ...withDeleted,
  }),
  answer: registryList,
  errors: ['invalid_request'],
});

export const listRegistryVersions = endpoint({
  id: 'listRegistryVersions',
  method: 'GET',
  path: '/v0.1/servers/:serverName/versions',
  summary: 'The versions of one server in the registry, the newest first',
  access: 'public',
  anyOrigin: true,
  params: z.object(ofServer),
  query: z.object(withDeleted),
  answer: registryList,
  errors: ['invalid_request', 'not_found'],
});

export const getRegistryVersion = endpoint({
  id: 'getRegistryVersion',
  method: 'GET',
  path: '/v0.1/servers/:serverName/versions/:version',
  summary: 'One version of a server in the registry; `latest` names the one that is offered',
  access: 'public',
  anyOrigin: true,
  params: z.object({ ...ofServer, version: z.string().max(255) }),
  query: z.object(withDeleted),
  answer: registryEntry,
  errors: ['invalid_request', 'not_found'],
});

export const registryEndpoints = [listRegistryServers, listRegistryVersions, getRegistryVersion] as const;
