import { z } from 'zod';
import { adminErrors, adminReason } from './users.ts';
import { endpoint } from '../endpoint.ts';
import { maxRegistryNameLength } from '../catalogue/registries.ts';

// Imports of servers from other sources: an administrator previews them, then stages what was previewed.

/** Length limit of pasted text. */
export const maxImportCharacters = 1024 * 1024;
export const maxImportEntries = 200;
/** Manifests staged per call; each is its own transaction. */
export const maxStagedPerCall = 20;

/** Origin of a version. It is stored with the version so that updates can be found there. */
export const importSourceSchema = z.object({
  registryId: z.uuid(),
  /** Name and version in the registry. */
  name: z.string().max(maxRegistryNameLength),
  version: z.string().max(255),
});
export type ImportSource = z.infer<typeof importSourceSchema>;

const secret = z.object({
  /** Name of the header or of the program's variable. */
  name: z.string(),
  /** Variable of the broker that holds the value. */
  variable: z.string(),
  description: z.string().optional(),
});

/** Result for one entry of a pasted text or a registry. It contains no values of headers, variables or secrets. */
export const importEntrySchema = z.object({
  /** Name in its source. */
  name: z.string(),
  /**
   * ready: can be staged. unchanged: already here. blocked: the operator must allow something first. refused: cannot be
   * imported.
   */
  result: z.enum(['ready', 'unchanged', 'blocked', 'refused']),
  /** Reason why it cannot be staged; absent if ready. */
  reason: z.string().optional(),
  id: z.string().optional(),
  title: z.string().optional(),
  version: z.string().optional(),
  kind: z.enum(['http', 'websocket', 'stdio']).optional(),
  /** Address, or program that is started. */
  target: z.string().optional(),
  /** Credits per call and cents per month; imported servers are free until an administrator sets a price. */
  price: z.int(),
  secrets: z.array(secret),
  /** Host and port that administrators may allow under Allow List. */
  allowAddress: z.string().optional(),
  /** Package that administrators may allow under Allow List. */
  allowPackage: z.string().optional(),
  /** Text of the entry to add to the operator's allow-list of programs. */
  allowlist: z.string().optional(),
  /** Risk of allowing the address or program; absent if nothing needs to be allowed. */
  warning: z.string().optional(),
  notes: z.array(z.string()),
  /** For a server that already exists: how this version differs from it, in words. */
  changes: z.array(z.string()).optional(),
  /** Manifest to stage. */
  manifest: z.record(z.string(), z.unknown()).optional(),
  source: importSourceSchema.optional(),
});
export type ImportEntry = z.infer<typeof importEntrySchema>;

export const previewImport = endpoint({
  id: 'previewImport',
  method: 'POST',
  path: '/admin/imports/preview',
  summary:
    "Shows what would be staged from a client's configuration, a server.json, manifests or servers of a registry, and what cannot be imported and why. Stages nothing",
  access: 'admin',
  weight: 20,
  // JSON escapes quotes and line ends
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
  summary: 'Stages previewed manifests independently of each other, and records the registry that they came from',
  access: 'admin',
  weight: 10,
  largestBody: 2 * maxImportCharacters,
  body: z.strictObject({
    entries: z
      .array(z.strictObject({ manifest: z.record(z.string(), z.unknown()), source: importSourceSchema.optional() }))
      .min(1)
      .max(maxStagedPerCall),
    reason: adminReason,
  }),
  answer: z.object({
    success: z.literal(true),
    /** In request order. */
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
