import { z } from 'zod';
import { adminErrors } from '../admin/users.ts';
import { endpoint } from '../endpoint.ts';
import { line } from '../manifest/manifest-basics.ts';
import { momentSchema } from '../times.ts';

// Registries of MCP servers (the generic registry API v0.1) from which administrators import.

/** server.json, `name`. */
export const maxRegistryNameLength = 200;
/** The one that is offered where there is none. Nothing is asked of it before a click. */
export const officialRegistry = {
  name: 'Official MCP registry',
  url: 'https://registry.modelcontextprotocol.io',
} as const;
export const maxRegistries = 50;

const isoTime = z.iso.datetime();
const registryName = line(80);
const ofRegistry = z.object({ id: z.uuid() });

export const registrySchema = z.object({
  id: z.uuid(),
  name: z.string(),
  /** Before /v0.1/servers. */
  url: z.string(),
  addedAt: isoTime,
  /** How many servers here came from it. */
  servers: z.int(),
});
export type Registry = z.infer<typeof registrySchema>;

export const listRegistries = endpoint({
  id: 'listRegistries',
  method: 'GET',
  path: '/admin/registries',
  summary: 'The registries from which servers are imported, by name',
  access: 'admin',
  answer: z.object({ success: z.literal(true), registries: z.array(registrySchema) }),
  errors: [...adminErrors],
});

export const addRegistry = endpoint({
  id: 'addRegistry',
  method: 'POST',
  path: '/admin/registries',
  summary: 'Adds a registry by its address. It is not asked for anything yet',
  access: 'admin',
  body: z.strictObject({ name: registryName, url: z.string().trim().min(1).max(2048) }),
  answer: z.object({ success: z.literal(true), registry: registrySchema }),
  errors: ['invalid_request', 'url_not_allowed', 'registry_known', ...adminErrors],
});

export const renameRegistry = endpoint({
  id: 'renameRegistry',
  method: 'PUT',
  path: '/admin/registries/:id',
  summary: 'Gives a registry another name',
  access: 'admin',
  params: ofRegistry,
  body: z.strictObject({ name: registryName }),
  answer: z.object({ success: z.literal(true), registry: registrySchema }),
  errors: ['invalid_request', 'not_found', ...adminErrors],
});

export const removeRegistry = endpoint({
  id: 'removeRegistry',
  method: 'DELETE',
  path: '/admin/registries/:id',
  summary: 'Removes a registry. Servers that came from it stay; their updates are not looked for any more',
  access: 'admin',
  params: ofRegistry,
  answer: z.object({ success: z.literal(true) }),
  errors: ['invalid_request', 'not_found', ...adminErrors],
});

export const serverKinds = ['remote', 'npm', 'pypi', 'oci', 'nuget', 'mcpb', 'other'] as const;
const flag = z.enum(['true', 'false']).transform((value) => value === 'true');

export const listedServerSchema = z.object({
  /** Its name and version there. */
  name: z.string(),
  version: z.string(),
  title: z.string().nullable(),
  description: z.string(),
  kinds: z.array(z.enum(serverKinds)),
  status: z.enum(['active', 'deprecated', 'deleted']),
  statusMessage: z.string().nullable(),
  updatedAt: z.string().nullable(),
  /** Why it cannot be imported; null: it can. */
  notImportable: z.string().nullable(),
  /** The server here that came from it, and the version there of which it was made. */
  imported: z.object({ id: z.string(), version: z.string().nullable() }).nullable(),
});
export type ListedServer = z.infer<typeof listedServerSchema>;

export const browseRegistry = endpoint({
  id: 'browseRegistry',
  method: 'GET',
  path: '/admin/registries/:id/servers',
  summary: 'Servers of a registry that match, read there now: a page, or as many pages as five requests bring',
  access: 'admin',
  weight: 5,
  params: ofRegistry,
  query: z.object({
    search: z.string().trim().max(200).optional(),
    /** The registry's own word for the next page. */
    cursor: z.string().max(1000).optional(),
    kind: z.enum(serverKinds).optional(),
    importable: flag.optional(),
    hideDeprecated: flag.optional(),
    updatedSince: momentSchema.optional(),
  }),
  answer: z.object({
    success: z.literal(true),
    servers: z.array(listedServerSchema),
    /** null: there are no more. */
    nextCursor: z.string().nullable(),
    /** How many were read there for this. */
    read: z.int(),
  }),
  errors: ['invalid_request', 'not_found', 'registry_unavailable', ...adminErrors],
});

export const registryUpdateSchema = z.object({
  /** The server here. */
  id: z.string(),
  name: z.string(),
  registry: z.object({ id: z.uuid(), name: z.string() }),
  /** Its name in the registry, the version of which it was made, and the one that is there now. */
  registryName: z.string(),
  from: z.string(),
  to: z.string(),
  status: z.enum(['active', 'deprecated', 'deleted']),
  checkedAt: isoTime,
});
export type RegistryUpdate = z.infer<typeof registryUpdateSchema>;

const updates = z.object({
  success: z.literal(true),
  /** Versions that are not staged here, and servers that their registry has deprecated or deleted. */
  updates: z.array(registryUpdateSchema),
  /** Servers here that came from a registry. */
  followed: z.int(),
  /** When the last look ended; null: there was none. */
  checkedAt: isoTime.nullable(),
  /** What could not be asked at the last look, in words. */
  failures: z.array(z.string()),
});

export const listRegistryUpdates = endpoint({
  id: 'listRegistryUpdates',
  method: 'GET',
  path: '/admin/registry-updates',
  summary: 'New versions of imported servers that the last look at their registries found',
  access: 'admin',
  answer: updates,
  errors: [...adminErrors],
});

export const checkRegistryUpdates = endpoint({
  id: 'checkRegistryUpdates',
  method: 'POST',
  path: '/admin/registry-updates/check',
  summary: 'Looks at the registries of imported servers now',
  access: 'admin',
  weight: 10,
  answer: updates,
  errors: [...adminErrors],
});

export const registryImportEndpoints = [
  listRegistries,
  addRegistry,
  renameRegistry,
  removeRegistry,
  browseRegistry,
  listRegistryUpdates,
  checkRegistryUpdates,
] as const;
