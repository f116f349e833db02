import { z } from 'zod';
import { adminErrors, adminReason } from './users.ts';
import { serverStatusSchema } from '../catalogue/catalogue.ts';
import { endpoint } from '../endpoint.ts';
import { sentManifestSchema } from '../manifest/manifest.ts';

const isoTime = z.iso.datetime();
const ofManifest = z.object({ id: z.string().max(63) });

/** bundled: it comes with this installation. admin: an administrator, the operator's command or folder brought it. */
export const manifestOriginSchema = z.enum(['bundled', 'admin']);
export type ManifestOrigin = z.infer<typeof manifestOriginSchema>;

/** Spec part 2, section 3: "Manifest". The fields that have a comment are additions. */
export const listedManifestSchema = z.object({
  id: z.string(),
  name: z.string(),
  serviceType: z.string(),
  /** The deployed version, else the staged one: the other fields are of this version, too. */
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
  /** Of its tools, those that only clients which can answer their questions list; absent where none asks. */
  askingTools: z.int().optional(),
  deployedVersion: z.string().nullable(),
  stagedVersion: z.string().nullable(),
  /** Who brought the staged version: deploy-all leaves bundled drafts out. null: nothing is staged. */
  stagedOrigin: manifestOriginSchema.nullable(),
  /** How the deployed server is; null: it is not deployed. */
  status: serverStatusSchema.nullable(),
  statusDetail: z.string().optional(),
  /** Tools whose changes wait for a decision. */
  toolsUnderReview: z.int(),
  /** What took it out, of one that is neither deployed nor staged; absent where that is not known. */
  gone: z.enum(['deleted', 'undeployed']).optional(),
  /** How many people rent it. */
  renters: z.int(),
  /** Its name in a public registry, where it was imported from one. */
  registryName: z.string().optional(),
});
export type ListedManifest = z.infer<typeof listedManifestSchema>;

export const maxManifestsOfPage = 100;

/** The filters of the list. Each counts before the page is cut. */
const manifestFilters = {
  /** Words in the id, the name, the author, the description, or the address or program. */
  search: z.string().trim().max(200).optional(),
  type: z.enum(['http', 'websocket', 'stdio']).optional(),
  /** deleted: those that are neither deployed nor staged any more, and can be deployed again. */
  status: z.enum(['active', 'inactive', 'deleted']).optional(),
  /** failing: those whose deployed server was asked, and does not answer as it should. */
  health: z.enum(['failing']).optional(),
  /** Those with a staged version that such a one brought: deploy-all deploys those of administrators. */
  staged: manifestOriginSchema.optional(),
};

/** By what the list is ordered; with `-` the other way round. Equal ones stand by id. */
const manifestOrders = ['name', 'address', 'tools', 'deployed', 'connection'] as const;
export type ManifestOrder = (typeof manifestOrders)[number];
export const manifestSorts = manifestOrders.flatMap((order) => [order, `-${order}`] as const);
export type ManifestSort = (typeof manifestSorts)[number];

export const listManifests = endpoint({
  id: 'listManifests',
  method: 'GET',
  path: '/admin/manifests',
  summary:
    'The manifests that are deployed or staged, by id or as asked: all of them, or a page of those that match; deleted ones where they are asked for',
  access: 'admin',
  query: z.object({
    ...manifestFilters,
    /**
     * By id where it is absent. tools: how many the deployed server offers. deployed: deployed ones first. connection: failing
     * servers, those not asked yet, connected ones, then those that are not deployed.
     */
    sort: z.enum(manifestSorts).optional(),
    page: z.coerce.number().int().min(1).max(1_000_000).optional(),
    /** All that match are answered without page and limit; with one of them the other is 1, or 50. */
    limit: z.coerce.number().int().min(1).max(maxManifestsOfPage).optional(),
  }),
  answer: z.object({
    success: z.literal(true),
    manifests: z.array(listedManifestSchema),
    /** It counts those that match; without page and limit there is one page. */
    pagination: z.object({ page: z.int(), limit: z.int(), total: z.int(), pages: z.int() }),
    /**
     * They count all manifests, whatever the filters. `staged`: what deploy-all deploys. `bundledDrafts`: staged, deployed by name
     * only. `deleted` ones are not among the total.
     */
    counts: z.object({
      /** Deleted ones that match the words of a search among the others; absent where none does. */
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
    'A manifest as it was written, with its versions: the staged one, else the deployed one, else the one that was live last, or the one that is named',
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
          origin: manifestOriginSchema,
          /** Who staged it; null: the installation, or the operator's command. */
          stagedBy: z.object({ id: z.string(), email: z.string() }).nullable(),
          /** Why it was staged, in their words. */
          reason: z.string().nullable(),
        }),
      )
      .max(maxVersions),
    /** What took it out, where it is neither deployed nor staged; null where that is not known. */
    gone: z.enum(['deleted', 'undeployed']).nullable(),
    /** The version whose server answered last: there is no use in going back to one that never did. null: none has. */
    answeredVersion: z.string().nullable(),
    /** Names what is deployed and staged now: a write that sends it as If-Match is refused when that has changed. */
    revision: z.string(),
    /** The version that a change on top of the shown one would have: the next patch number that is not taken. */
    nextVersion: z.string(),
  }),
  errors: ['invalid_request', 'not_found', ...adminErrors],
});

/** What the payment provider has, where it had to be told of a price. */
const stripeResult = z.object({ productId: z.string(), priceId: z.string() }).optional();

/** Sentences about what may not have been meant: its prices, and a folder that everyone shares. */
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
    /** unchanged: exactly this version is deployed or staged already. */
    result: z.enum(['staged', 'unchanged']),
    /** The revision after this change, as GET answers it. */
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
  summary: 'Stages a new version of a manifest that there is',
  params: ofManifest,
  errors: ['not_found', ...uploadErrors],
});

export const deleteManifest = endpoint({
  id: 'deleteManifest',
  method: 'DELETE',
  path: '/admin/manifests/:id',
  summary:
    'Takes a server out of the catalog and out of staging; its versions are kept, and can be deployed again. Rentals end with their paid period, or now with a refund',
  access: 'admin',
  ifMatch: true,
  params: ofManifest,
  body: z.strictObject({
    reason: adminReason,
    /** Rentals that end now and are paid back by the part of their period that is left; all others run out unrefunded. */
    refundRentals: z.array(z.string().max(100)).max(1000).optional(),
  }),
  answer: z.object({
    success: z.literal(true),
    id: z.string(),
    /** How many people rent it. What they pay for is not renewed. */
    renters: z.int(),
    /** What came of the refunds that were asked for. pending: the payment provider did not answer, and is asked again by itself. */
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
    "Takes a deployed server out of the catalog and out of everyone's links; what is staged of it stays. Running calls finish, and rentals end with their paid period",
  access: 'admin',
  params: ofManifest,
  ifMatch: true,
  body: z.strictObject({ reason: adminReason }),
  answer: z.object({
    success: z.literal(true),
    id: z.string(),
    /** The version that was live. */
    version: z.string(),
    /** How many people rent it. What they pay for is not renewed. */
    renters: z.int(),
    revision: z.string(),
  }),
  errors: ['invalid_request', 'not_found', 'changed_since_shown', ...adminErrors],
});

export const deployManifest = endpoint({
  id: 'deployManifest',
  method: 'POST',
  path: '/admin/manifests/:id/deploy',
  summary: 'Makes the staged version live; without one the version that was live last, or the one that is named',
  access: 'admin',
  params: ofManifest,
  ifMatch: true,
  /** Deploys the staged version where it names none; an earlier one rolls back. */
  body: z.strictObject({ version: z.string().max(40).optional(), reason: adminReason }),
  answer: z.object({
    success: z.literal(true),
    id: z.string(),
    version: z.string(),
    result: z.enum(['deployed', 'unchanged']),
    manifest: listedManifestSchema,
    revision: z.string(),
    /** Why the server did not answer, within 10 s; absent when it did. */
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
