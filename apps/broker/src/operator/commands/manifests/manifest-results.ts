import { getManifest } from '@souk/contract/admin/manifests.ts';
import { getServerDifferences } from '@souk/contract/admin/servers.ts';
import { serverStatusSchema } from '@souk/contract/catalogue/catalogue.ts';
import { toolChangeSchema } from '@souk/contract/catalogue/tool-changes.ts';
import { z } from 'zod';

// the answers of the operator's commands on manifests, over the socket and with `--json`

const issueSchema = z.object({ path: z.string(), message: z.string() });

export const listSchema = z.object({
  /** Whether a broker runs. Otherwise each status is what the last broker saw. */
  running: z.boolean(),
  servers: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      transport: z.enum(['http', 'websocket', 'stdio']),
      deployed: z.string().optional(),
      staged: z.string().optional(),
      /** The last deployed version, if the server is neither deployed nor staged. */
      last: z.string().optional(),
      status: serverStatusSchema.optional(),
      statusDetail: z.string().optional(),
      tools: z.int(),
      toolsUnderReview: z.int(),
    }),
  ),
});
export type ListedServers = z.infer<typeof listSchema>;

export const checkedSchema = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true), id: z.string(), version: z.string(), notes: z.array(z.string()).optional() }),
  z.object({ ok: z.literal(false), code: z.string(), problems: z.array(issueSchema) }),
]);
export type CheckedManifest = z.infer<typeof checkedSchema>;

export const deployedSchema = z.object({
  id: z.string(),
  version: z.string(),
  result: z.enum(['deployed', 'unchanged']),
  /** Whether a running broker tried to discover the server. */
  asked: z.boolean(),
  status: serverStatusSchema,
  statusDetail: z.string().optional(),
  failure: z.string().optional(),
  tools: z.array(z.object({ name: z.string(), exposedName: z.string(), description: z.string() })),
  toolsUnderReview: z.array(z.string()),
  prompts: z.array(z.string()),
  resources: z.array(z.string()),
  /** Sentences about likely mistakes. */
  notes: z.array(z.string()).optional(),
});
export type DeployedManifest = z.infer<typeof deployedSchema>;

export const undeployedSchema = z.object({
  id: z.string(),
  version: z.string(),
  renters: z.int(),
});
export type UndeployedManifest = z.infer<typeof undeployedSchema>;

export const shownSchema = getManifest.answer.omit({ success: true });
export type ShownManifest = z.infer<typeof shownSchema>;

export const stagedSchema = z.object({
  id: z.string(),
  version: z.string(),
  result: z.enum(['staged', 'unchanged']),
  revision: z.string(),
  notes: z.array(z.string()).optional(),
});
export type StagedManifest = z.infer<typeof stagedSchema>;

export const deletedSchema = z.object({ id: z.string(), renters: z.int() });
export type DeletedManifest = z.infer<typeof deletedSchema>;

export const diffSchema = getServerDifferences.answer.omit({ success: true, before: true, after: true }).extend({
  id: z.string(),
  deployed: z.string().optional(),
  staged: z.string().optional(),
  /** Tool changes that wait for approval. */
  changes: z.array(toolChangeSchema),
  keptHidden: z.array(toolChangeSchema),
  /** Identifies exactly these changes for the approval. */
  code: z.string(),
});
export type ManifestDiff = z.infer<typeof diffSchema>;

const definitionSchema = z.record(z.string(), z.unknown()).nullable();

/** Differences between what the shop shows and an account's personal tools. */
export const personalToolsDiffSchema = z.object({
  id: z.string(),
  from: z.string(),
  code: z.string(),
  changes: z.array(
    z.object({
      kind: z.enum(['tool', 'prompt', 'resource', 'template']),
      name: z.string(),
      before: definitionSchema,
      after: definitionSchema,
    }),
  ),
});
export type PersonalToolsDiff = z.infer<typeof personalToolsDiffSchema>;

export const approvedToolsSchema = z.object({ id: z.string(), tools: z.array(z.string()) });
export const approvedSchema = z.object({ id: z.string(), approved: z.array(toolChangeSchema) });
