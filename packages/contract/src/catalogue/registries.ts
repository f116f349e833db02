import { z } from 'zod';
import { adminErrors } from '../admin/users.ts';
import { endpoint } from '../endpoint.ts';
import { line } from '../manifest/manifest-basics.ts';
import { momentSchema } from '../times.ts';

// Registries of MCP servers (the generic registry API v0.1) that administrators import from.

/** Length limit of `name` in server.json. */
export const maxRegistryNameLength = 200;
/** Registry suggested if there is none. It is contacted only after a click. */
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
  /** Base address, without /v0.1/servers. */
  url: z.string(),
  addedAt: isoTime,
  /** Number of servers imported from it. */
  servers: z.int(),
});
export type Registry = z.infer<typeof registrySchema>;

export const listRegistries = endpoint({
  id: 'listRegistries',
  method: 'GET',
  path: '/admin/registries',
  summary: 'Lists the registries that servers are imported from, sorted by name',
  access: 'admin',
  answer: z.object({ success: z.literal(true), registries: z.array(registrySchema) }),
  errors: [...adminErrors],
});

export const addRegistry = endpoint({
  id: 'addRegistry',
  method: 'POST',
  path: '/admin/registries',
  summary: 'Adds a registry by its address, without contacting it',
  access: 'admin',
  body: z.strictObject({ name: registryName, url: z.string().trim().min(1).max(2048) }),
  answer: z.object({ success: z.literal(true), registry: registrySchema }),
  errors: ['invalid_request', 'url_not_allowed', 'registry_known', ...adminErrors],
});

export const renameRegistry = endpoint({
  id: 'renameRegistry',
  method: 'PUT',
  path: '/admin/registries/:id',
  summary: 'Renames a registry',
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
  summary: 'Removes a registry. Servers imported from it stay, but are no longer checked for updates',
  access: 'admin',
  params: ofRegistry,
  answer: z.object({ success: z.literal(true) }),
  errors: ['invalid_request', 'not_found', ...adminErrors],
});

export const serverKinds = ['remote', 'npm', 'pypi', 'oci', 'nuget', 'mcpb', 'other'] as const;
const flag = z.enum(['true', 'false']).transform((value) => value === 'true');

export const listedServerSchema = z.object({
  /** Name and version in the registry. */
  name: z.string(),
  version: z.string(),
  title: z.string().nullable(),
  description: z.string(),
  kinds: z.array(z.enum(serverKinds)),
  status: z.enum(['active', 'deprecated', 'deleted']),
  statusMessage: z.string().nullable(),
  updatedAt: z.string().nullable(),
  /** Reason why it cannot be imported; null: it can. */
  notImportable: z.string().nullable(),
  /** Server here that was imported from it, and the registry's version that it was made from. */
  imported: z.object({ id: z.string(), version: z.string().nullable() }).nullable(),
});
export type ListedServer = z.infer<typeof listedServerSchema>;

export const browseRegistry = endpoint({
  id: 'browseRegistry',
  method: 'GET',
  path: '/admin/registries/:id/servers',
  summary: "Fetches a registry's servers that match: one page, or the matches from up to five requests",
  access: 'admin',
  weight: 5,
  params: ofRegistry,
  query: z.object({
    search: z.string().trim().max(200).optional(),
    /** Registry's cursor for the next page. */
    cursor: z.string().max(1000).optional(),
    kind: z.enum(serverKinds).optional(),
    importable: flag.optional(),
    hideDeprecated: flag.optional(),
    updatedSince: momentSchema.optional(),
  }),
  answer: z.object({
    success: z.literal(true),
    servers: z.array(listedServerSchema),
    /** null on the last page. */
    nextCursor: z.string().nullable(),
    /** Number of servers fetched from the registry. */
    read: z.int(),
  }),
  errors: ['invalid_request', 'not_found', 'registry_unavailable', ...adminErrors],
});

export const registryUpdateSchema = z.object({
  /** Id of the server here. */
  id: z.string(),
  name: z.string(),
  registry: z.object({ id: z.uuid(), name: z.string() }),
  /** Name in the registry, the version it was made from and the latest version there. */
  registryName: z.string(),
  from: z.string(),
  to: z.string(),
  status: z.enum(['active', 'deprecated', 'deleted']),
  checkedAt: isoTime,
});
export type RegistryUpdate = z.infer<typeof registryUpdateSchema>;

const updates = z.object({
  success: z.literal(true),
  /** New versions that are not staged here, and servers that their registry has deprecated or deleted. */
  updates: z.array(registryUpdateSchema),
  /** Number of servers here that were imported from a registry. */
  followed: z.int(),
  /** End of the last check; null: never checked. */
  checkedAt: isoTime.nullable(),
  /** Failures of the last check, in words. */
  failures: z.array(z.string()),
});

export const listRegistryUpdates = endpoint({
  id: 'listRegistryUpdates',
  method: 'GET',
  path: '/admin/registry-updates',
  summary: 'Lists new versions of imported servers found by the last check of their registries',
  access: 'admin',
  answer: updates,
  errors: [...adminErrors],
});

export const checkRegistryUpdates = endpoint({
  id: 'checkRegistryUpdates',
  method: 'POST',
  path: '/admin/registry-updates/check',
  summary: 'Checks the registries of imported servers for new versions now',
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
