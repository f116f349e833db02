import { z } from 'zod';
import { adminErrors, adminReason } from './users.ts';
import { serverStatusSchema } from '../catalogue/catalogue.ts';
import { endpoint } from '../endpoint.ts';
import { sentManifestSchema } from '../manifest/manifest.ts';

const isoTime = z.iso.datetime();
const ofManifest = z.object({ id: z.string().max(63) });

/** bundled: part of this installation. admin: added by an administrator, an operator command or a folder. */
export const manifestOriginSchema = z.enum(['bundled', 'admin']);
export type ManifestOrigin = z.infer<typeof manifestOriginSchema>;

/** Spec part 2, section 3: "Manifest". The fields that have a comment are additions. */
export const listedManifestSchema = z.object({
  id: z.string(),
  name: z.string(),
  serviceType: z.string(),
  /** Deployed version, else the staged one. The other fields describe this version. */
  version: z.string(),
  /** null: the screen shows 'Unknown'. */
  author: z.string().nullable(),
  description: z.string(),
  /** Whether the manifest is deployed. */
  isActive: z.boolean(),
  connection: z.object({
    type: z.enum(['http', 'websocket', 'stdio']),
    url: z.string().optional(),
    command: z.string().optional(),
  }),
  /** Counts of the deployed server; 0 if it is not deployed. */
  capabilities: z.object({ tools: z.int(), prompts: z.int(), resources: z.int() }),
  /** Tools that are listed only to clients that can answer their questions; absent if there are none. */
  askingTools: z.int().optional(),
  deployedVersion: z.string().nullable(),
  stagedVersion: z.string().nullable(),
  /** Origin of the staged version; deploy-all skips bundled drafts. null: nothing is staged. */
  stagedOrigin: manifestOriginSchema.nullable(),
  /** Status of the deployed server; null: not deployed. */
  status: serverStatusSchema.nullable(),
  statusDetail: z.string().optional(),
  /** Tools whose changes await a decision. */
  toolsUnderReview: z.int(),
  /** How a manifest that is neither deployed nor staged was removed; absent if unknown. */
  gone: z.enum(['deleted', 'undeployed']).optional(),
  /** Number of rentals. */
  renters: z.int(),
  /** Name in the public registry that it was imported from. */
  registryName: z.string().optional(),
});
export type ListedManifest = z.infer<typeof listedManifestSchema>;

const maxManifestsPerPage = 100;

/** Filters of the list, applied before paging. */
const manifestFilters = {
  /** Words to find in the id, name, author, description, address or program. */
  search: z.string().trim().max(200).optional(),
  type: z.enum(['http', 'websocket', 'stdio']).optional(),
  /** deleted: neither deployed nor staged any more; can be deployed again. */
  status: z.enum(['active', 'inactive', 'deleted']).optional(),
  /** failing: the deployed server was checked and does not respond correctly. */
  health: z.enum(['failing']).optional(),
  /** Manifests with a staged version of this origin; deploy-all deploys those of administrators. */
  staged: manifestOriginSchema.optional(),
};

/** Sort keys of the list; `-` reverses the order. Ties are sorted by id. */
const manifestOrders = ['name', 'address', 'tools', 'deployed', 'connection'] as const;
export type ManifestOrder = (typeof manifestOrders)[number];
export const manifestSorts = manifestOrders.flatMap((order) => [order, `-${order}`] as const);
export type ManifestSort = (typeof manifestSorts)[number];

export const listManifests = endpoint({
  id: 'listManifests',
  method: 'GET',
  path: '/admin/manifests',
  summary: 'Lists deployed and staged manifests: all of them, or one page of those that match; deleted ones on request',
  access: 'admin',
  query: z.object({
    ...manifestFilters,
    /**
     * Default: id. tools: number of tools offered. deployed: deployed first. connection: failing, not yet checked, connected,
     * not deployed.
     */
    sort: z.enum(manifestSorts).optional(),
    page: z.coerce.number().int().min(1).max(1_000_000).optional(),
    /** All matches are returned if page and limit are missing; if only one is given, page is 1 and limit 50. */
    limit: z.coerce.number().int().min(1).max(maxManifestsPerPage).optional(),
  }),
  answer: z.object({
    success: z.literal(true),
    manifests: z.array(listedManifestSchema),
    /** Counts the matches; without page and limit there is one page. */
    pagination: z.object({ page: z.int(), limit: z.int(), total: z.int(), pages: z.int() }),
    /**
     * Counts of all manifests, regardless of filters. `staged`: what deploy-all deploys. `bundledDrafts`: staged bundled
     * manifests, which deploy-all skips. `deleted` manifests are not part of `total`.
     */
    counts: z.object({
      /** Deleted manifests that match a search; absent if none do. */
      deletedMatching: z.int().optional(),
      total: z.int(),
      active: z.int(),
      http: z.int(),
      withTools: z.int(),
      staged: z.int(),
      bundledDrafts: z.int(),
      underReview: z.int(),
      failing: z.int(),
      deleted: z.int(),
    }),
  }),
  errors: ['invalid_request', ...adminErrors],
});

const maxVersions = 200;

export const getManifest = endpoint({
  id: 'getManifest',
  method: 'GET',
  path: '/admin/manifests/:id',
  summary:
    'Returns a manifest as written, with its versions: the requested version, else the staged, the deployed or the last live one',
  access: 'admin',
  params: ofManifest,
  query: z.object({ version: z.string().max(40).optional() }),
  answer: z.object({
    success: z.literal(true),
    /** Document in the form that POST and PUT accept. */
    manifest: z.record(z.string(), z.unknown()),
    /** null: neither deployed nor staged. */
    listed: listedManifestSchema.nullable(),
    /** Newest first, at most 200. */
    versions: z
      .array(
        z.object({
          version: z.string(),
          status: z.enum(['staging', 'deployed', 'superseded']),
          createdAt: isoTime,
          /** Time of the last deployment; null: never. */
          deployedAt: isoTime.nullable(),
          origin: manifestOriginSchema,
          /** null: the installation, or an operator command. */
          stagedBy: z.object({ id: z.string(), email: z.string() }).nullable(),
          /** Reason given for staging it. */
          reason: z.string().nullable(),
        }),
      )
      .max(maxVersions),
    /** How it was removed, if it is neither deployed nor staged; null if unknown. */
    gone: z.enum(['deleted', 'undeployed']).nullable(),
    /** Last version whose server responded; a rollback to a version that never did is pointless. null: none. */
    answeredVersion: z.string().nullable(),
    /** Identifies the deployed and staged state: a write that sends an outdated one as If-Match is refused. */
    revision: z.string(),
    /** Version for an edit of the shown one: the next free patch number. */
    nextVersion: z.string(),
  }),
  errors: ['invalid_request', 'not_found', ...adminErrors],
});

/** Product and price created or changed at the payment provider; absent if nothing had to change there. */
const stripeResult = z.object({ productId: z.string(), priceId: z.string() }).optional();

/** Warnings about settings that may be mistakes: prices, and a folder shared by all users. */
const notes = z.array(z.string()).optional();

const upload = {
  access: 'admin',
  query: z.object({ reason: adminReason }),
  body: sentManifestSchema,
  rawBody: true,
  ifMatch: true,
  answer: z.object({
    success: z.literal(true),
    id: z.string(),
    version: z.string(),
    /** unchanged: exactly this version is already deployed or staged. */
    result: z.enum(['staged', 'unchanged']),
    /** Revision after this change. */
    revision: z.string(),
    stripeResult,
    notes,
  }),
} as const;
const uploadErrors = [
  'invalid_request',
  'invalid_json',
  'manifest_invalid',
  'url_not_allowed',
  'command_not_allowed',
  'manifest_conflict',
  'changed_since_shown',
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
  summary: 'Stages a new version of an existing manifest',
  params: ofManifest,
  errors: ['not_found', ...uploadErrors],
});

export const deleteManifest = endpoint({
  id: 'deleteManifest',
  method: 'DELETE',
  path: '/admin/manifests/:id',
  summary:
    'Removes a server from the catalog and from staging; its versions are kept and can be deployed again. Rentals end with their paid period, or now with a refund',
  access: 'admin',
  ifMatch: true,
  params: ofManifest,
  body: z.strictObject({
    reason: adminReason,
    /** Rentals to end now with a refund of the unused time; all others run to their end without one. */
    refundRentals: z.array(z.string().max(100)).max(1000).optional(),
  }),
  answer: z.object({
    success: z.literal(true),
    id: z.string(),
    /** Number of rentals. They are not renewed. */
    renters: z.int(),
    /** Results of the requested refunds. pending: the payment provider did not respond; we retry automatically. */
    refunds: z.array(
      z.object({
        rentalId: z.string(),
        result: z.enum(['refunded', 'pending', 'nothing_paid', 'failed']),
        amountCents: z.int().nullable(),
        currency: z.string().nullable(),
      }),
    ),
  }),
  errors: ['invalid_request', 'not_found', 'changed_since_shown', 'sign_in_again', ...adminErrors],
});

export const undeployManifest = endpoint({
  id: 'undeployManifest',
  method: 'POST',
  path: '/admin/manifests/:id/undeploy',
  summary:
    'Removes a deployed server from the catalog and from every link; its staged version stays. Running calls finish, and rentals end with their paid period',
  access: 'admin',
  params: ofManifest,
  ifMatch: true,
  body: z.strictObject({ reason: adminReason }),
  answer: z.object({
    success: z.literal(true),
    id: z.string(),
    /** Version that was live. */
    version: z.string(),
    /** Number of rentals. They are not renewed. */
    renters: z.int(),
    revision: z.string(),
  }),
  errors: ['invalid_request', 'not_found', 'changed_since_shown', ...adminErrors],
});

export const deployManifest = endpoint({
  id: 'deployManifest',
  method: 'POST',
  path: '/admin/manifests/:id/deploy',
  summary: 'Makes a version live: the requested one, else the staged one, else the one that was live last',
  access: 'admin',
  params: ofManifest,
  ifMatch: true,
  /** Naming an earlier version rolls back. */
  body: z.strictObject({ version: z.string().max(40).optional(), reason: adminReason }),
  answer: z.object({
    success: z.literal(true),
    id: z.string(),
    version: z.string(),
    result: z.enum(['deployed', 'unchanged']),
    manifest: listedManifestSchema,
    revision: z.string(),
    /** Reason why the server did not respond within 10 s; absent if it did. */
    failure: z.string().optional(),
    notes,
  }),
  errors: [
    'invalid_request',
    'not_found',
    'manifest_invalid',
    'url_not_allowed',
    'command_not_allowed',
    'changed_since_shown',
    ...adminErrors,
  ],
});

export const adminManifestEndpoints = [
  listManifests,
  getManifest,
  createManifest,
  updateManifest,
  deleteManifest,
  undeployManifest,
  deployManifest,
] as const;
