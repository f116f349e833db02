import { z } from 'zod';
import { adminErrors, adminReason } from './users.ts';
import { endpoint } from '../endpoint.ts';
import { maxRegistryNameLength } from '../catalogue/registries.ts';

// Servers that are taken from elsewhere: a preview first, and what was previewed is staged by a click.

/** Of a pasted text. */
export const maxImportCharacters = 1024 * 1024;
export const maxImportEntries = 200;
/** Of one call that stages: each is a transaction of its own. */
export const maxStagedAtOnce = 20;

/** Where a version came from; it is stored with it, so that updates are found there. */
export const importSourceSchema = z.object({
  registryId: z.uuid(),
  /** The name and the version there. */
  name: z.string().max(maxRegistryNameLength),
  version: z.string().max(255),
});
export type ImportSource = z.infer<typeof importSourceSchema>;

const secret = z.object({
  /** Of the header, or of the program's variable. */
  name: z.string(),
  /** The broker's variable that holds its value. */
  variable: z.string(),
  description: z.string().optional(),
});

/** What becomes of one entry of a text or a registry. Values of headers, variables and secrets are in none of it. */
export const importEntrySchema = z.object({
  /** As its source calls it. */
  name: z.string(),
  /** ready: a click stages it. unchanged: it is here already. blocked: the operator has to allow something first. refused: nothing can be made of it. */
  result: z.enum(['ready', 'unchanged', 'blocked', 'refused']),
  /** Why not; absent of what is ready. */
  reason: z.string().optional(),
  id: z.string().optional(),
  title: z.string().optional(),
  version: z.string().optional(),
  kind: z.enum(['http', 'websocket', 'stdio']).optional(),
  /** Its address, or what is started. */
  target: z.string().optional(),
  /** Credits a call and cents a month; imported servers are free until an administrator gives them a price. */
  price: z.int(),
  secrets: z.array(secret),
  /** Its host and port, where administrators may allow them under Allow List. */
  allowAddress: z.string().optional(),
  /** The package that it starts, where administrators may allow it under Allow List. */
  allowPackage: z.string().optional(),
  /** The entry that the operator's allow-list of programs needs, as text. */
  allowlist: z.string().optional(),
  /** The risk for the installation once its address or program is allowed; absent where there is nothing to allow. */
  warning: z.string().optional(),
  notes: z.array(z.string()),
  /** Of a server that is here already: in what this version differs from it, in words. */
  changes: z.array(z.string()).optional(),
  /** The document that is staged. */
  manifest: z.record(z.string(), z.unknown()).optional(),
  source: importSourceSchema.optional(),
});
export type ImportEntry = z.infer<typeof importEntrySchema>;

export const previewImport = endpoint({
  id: 'previewImport',
  method: 'POST',
  path: '/admin/imports/preview',
  summary:
    "What would be staged of a client's configuration, a server.json, manifests, or servers of a registry, and what cannot be taken and why. Stages nothing",
  access: 'admin',
  weight: 20,
  // quotes and line ends are escapes in JSON
  largestBody: 3 * maxImportCharacters,
  body: z.union([
    z.strictObject({ text: z.string() }),
    z.strictObject({
      registryId: z.uuid(),
      servers: z
        .array(
          z.strictObject({ name: z.string().min(1).max(maxRegistryNameLength), version: z.string().min(1).max(255) }),
        )
        .min(1)
        .max(20),
    }),
  ]),
  answer: z.object({ success: z.literal(true), entries: z.array(importEntrySchema) }),
  errors: ['invalid_request', 'not_found', 'import_unreadable', 'registry_unavailable', ...adminErrors],
});

export const stageImport = endpoint({
  id: 'stageImport',
  method: 'POST',
  path: '/admin/imports',
  summary: 'Stages previewed manifests, each by itself, with the registry that they came from',
  access: 'admin',
  weight: 10,
  largestBody: 2 * maxImportCharacters,
  body: z.strictObject({
    entries: z
      .array(z.strictObject({ manifest: z.record(z.string(), z.unknown()), source: importSourceSchema.optional() }))
      .min(1)
      .max(maxStagedAtOnce),
    reason: adminReason,
  }),
  answer: z.object({
    success: z.literal(true),
    /** In the order in which they were sent. */
    results: z.array(
      z.object({
        id: z.string(),
        version: z.string(),
        result: z.enum(['staged', 'unchanged', 'refused']),
        message: z.string().optional(),
      }),
    ),
  }),
  errors: ['invalid_request', ...adminErrors],
});

export const adminImportEndpoints = [previewImport, stageImport] as const;
