import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { momentSchema } from '../times.ts';

// Offers the deployed servers as a registry: the read endpoints of the generic registry API v0.1 of
// modelcontextprotocol/registry (docs/reference/api/openapi.yaml, 2025-12-01), and server.json of 2025-12-11.

export const serverJsonSchemaUrl = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json';
/** Key of the metadata that a registry adds to a version. */
export const registryMetaKey = 'io.modelcontextprotocol.registry/official';

/** Length limit of descriptions and titles. */
export const maxRegistryText = 100;
const text = z.string().min(1).max(maxRegistryText);
const iso = z.iso.datetime();

/** A version of a server, as clients need it to connect through this shop. */
export const serverJsonSchema = z.strictObject({
  $schema: z.literal(serverJsonSchemaUrl),
  /** The shop's host name in reverse order, and the server's id. */
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

const registryEntry = z.object({
  server: serverJsonSchema,
  _meta: z.object({
    [registryMetaKey]: z.object({
      /** `deleted`: no longer offered here. */
      status: z.enum(['active', 'deleted']),
      statusChangedAt: iso,
      publishedAt: iso,
      updatedAt: iso,
      /** Whether this is the offered version, or the last one if the server is no longer offered. */
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
  summary: 'Lists the deployed servers as a registry of MCP servers',
  access: 'public',
  anyOrigin: true,
  weight: 4,
  query: z.object({
    /** Id and version of the last server on the previous page. */
    cursor: z
      .string()
      .regex(/^[a-z0-9][a-z0-9-]{0,62}:.{1,255}$/, 'is not a cursor of this list')
      .optional(),
    limit: z.coerce.number().int().min(1).max(100).default(30),
    /** Text to find in the name or title; case-insensitive. */
    search: z.string().max(200).optional(),
    /** Only servers changed since then, including deleted ones. */
    updated_since: momentSchema.optional(),
    /** `latest`, or an exact version. */
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
  summary: 'Lists the versions of one server in the registry, newest first',
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
  summary: 'Returns one version of a server in the registry; `latest` is the offered version',
  access: 'public',
  anyOrigin: true,
  params: z.object({ ...ofServer, version: z.string().max(255) }),
  query: z.object(withDeleted),
  answer: registryEntry,
  errors: ['invalid_request', 'not_found'],
});

export const registryEndpoints = [listRegistryServers, listRegistryVersions, getRegistryVersion] as const;
