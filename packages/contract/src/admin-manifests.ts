import { z } from 'zod';
import { adminErrors } from './admin-users.ts';
import { serverStatusSchema } from './catalogue.ts';
import { endpoint } from './endpoint.ts';
import { manifestSchema } from './manifest.ts';

const isoTime = z.iso.datetime();
const ofManifest = z.object({ id: z.string().max(63) });

/** Spec part 2, section 3: "Manifest". The fields that have a comment are additions. */
export const listedManifestSchema = z.object({
  id: z.string(),
  name: z.string(),
  serviceType: z.string(),
  /** Of the deployed version, else of the staged one: the other fields are of this version, too. */
  version: z.string(),
  /** null: the screen shows 'Unknown'. */
  author: z.string().nullable(),
  description: z.string(),
  /** It is deployed. */
  isActive: z.boolean(),
  connection: z.object({
    type: z.enum(['http', 'websocket', 'stdio']),
    url: z.string().optional(),
    command: z.string().optional(),
  }),
  /** How many the deployed server offers; 0 of one that is not deployed. */
  capabilities: z.object({ tools: z.int(), prompts: z.int(), resources: z.int() }),
  deployedVersion: z.string().nullable(),
  stagedVersion: z.string().nullable(),
  /** How the deployed server is; null: it is not deployed. */
  status: serverStatusSchema.nullable(),
  statusDetail: z.string().optional(),
  toolsUnderReview: z.int(),
  /** Its name in a public registry, where it was imported from one. */
  registryName: z.string().optional(),
});
export type ListedManifest = z.infer<typeof listedManifestSchema>;

export const listManifests = endpoint({
  id: 'listManifests',
  method: 'GET',
  path: '/admin/manifests',
  summary: 'The manifests that are deployed or staged, by id',
  access: 'admin',
  answer: z.object({ success: z.literal(true), manifests: z.array(listedManifestSchema) }),
  errors: adminErrors,
});

const maxVersions = 200;

export const getManifest = endpoint({
  id: 'getManifest',
  method: 'GET',
  path: '/admin/manifests/:id',
  summary:
    'A manifest as it was written, with its versions: the staged one, else the deployed one, or the one that is named',
  access: 'admin',
  params: ofManifest,
  query: z.object({ version: z.string().max(40).optional() }),
  answer: z.object({
    success: z.literal(true),
    /** The document, as POST and PUT take it. */
    manifest: z.record(z.string(), z.unknown()),
    /** null: it is neither deployed nor staged. */
    listed: listedManifestSchema.nullable(),
    /** The newest first, at most 200. */
    versions: z
      .array(
        z.object({
          version: z.string(),
          status: z.enum(['staging', 'deployed', 'superseded']),
          createdAt: isoTime,
          /** When it was deployed last; null: never. */
          deployedAt: isoTime.nullable(),
        }),
      )
      .max(maxVersions),
    /** The fields in which the staged version differs from the deployed one. */
    changedFields: z.array(z.string()),
  }),
  errors: ['invalid_request', 'not_found', ...adminErrors],
});

/** Of the payment provider, where it had to be told of a price. */
const stripeResult = z.object({ productId: z.string(), priceId: z.string() }).optional();

const upload = {
  access: 'admin',
  body: manifestSchema,
  rawBody: true,
  answer: z.object({
    success: z.literal(true),
    id: z.string(),
    version: z.string(),
    /** unchanged: exactly this version is deployed or staged already. */
    result: z.enum(['staged', 'unchanged']),
    stripeResult,
  }),
} as const;
const uploadErrors = [
  'invalid_request',
  'invalid_json',
  'manifest_invalid',
  'url_not_allowed',
  'command_not_allowed',
  'manifest_conflict',
  ...adminErrors,
] as const;

export const createManifest = endpoint({
  ...upload,
  id: 'createManifest',
  method: 'POST',
  path: '/admin/manifests',
  summary: 'Stages a manifest, or a new version of one; a deployed version stays until the next deployment',
  errors: uploadErrors,
});

export const updateManifest = endpoint({
  ...upload,
  id: 'updateManifest',
  method: 'PUT',
  path: '/admin/manifests/:id',
  summary: 'Stages a new version of a manifest that there is',
  params: ofManifest,
  errors: ['not_found', ...uploadErrors],
});

export const deleteManifest = endpoint({
  id: 'deleteManifest',
  method: 'DELETE',
  path: '/admin/manifests/:id',
  summary: 'Takes a server out of the catalogue and out of staging; its versions are kept, and can be deployed again',
  access: 'admin',
  params: ofManifest,
  answer: z.object({
    success: z.literal(true),
    id: z.string(),
    /** How many people rent it. What they pay for is not renewed. */
    renters: z.int(),
  }),
  errors: ['not_found', ...adminErrors],
});

export const deployManifest = endpoint({
  id: 'deployManifest',
  method: 'POST',
  path: '/admin/manifests/:id/deploy',
  summary: 'Makes the staged version live; without one the version that was live last, or the one that is named',
  access: 'admin',
  params: ofManifest,
  /** Without it the staged version; an earlier one rolls back. */
  body: z.strictObject({ version: z.string().max(40).optional() }),
  answer: z.object({
    success: z.literal(true),
    id: z.string(),
    version: z.string(),
    result: z.enum(['deployed', 'unchanged']),
    manifest: listedManifestSchema,
    /** Why the server did not answer, within 10 s; absent when it did. */
    failure: z.string().optional(),
  }),
  errors: [
    'invalid_request',
    'not_found',
    'manifest_invalid',
    'url_not_allowed',
    'command_not_allowed',
    ...adminErrors,
  ],
});

/** One line for each manifest that failed, with the text to show. */
const failures = z.array(z.object({ id: z.string(), message: z.string() }));

export const reloadManifests = endpoint({
  id: 'reloadManifests',
  method: 'POST',
  path: '/admin/manifests/reload',
  summary: 'Reads the deployed manifests again, opens new connections, and asks each server what it offers',
  access: 'admin',
  answer: z.object({ success: z.literal(true), reloadedCount: z.int(), errors: failures }),
  errors: adminErrors,
});

export const deployAllManifests = endpoint({
  id: 'deployAllManifests',
  method: 'POST',
  path: '/admin/manifests/deploy-all',
  summary: 'Deploys everything that is staged',
  access: 'admin',
  answer: z.object({ success: z.literal(true), deployed: z.int(), failed: z.int(), errors: failures }),
  errors: adminErrors,
});

export const adminManifestEndpoints = [
  listManifests,
  getManifest,
  createManifest,
  updateManifest,
  deleteManifest,
  deployManifest,
  reloadManifests,
  deployAllManifests,
] as const;
