import { z } from 'zod';
import { adminErrors, adminReason } from './users.ts';
import { endpoint } from '../endpoint.ts';

// Reload and deploy-all process many manifests. A run is stored, so that all administrators can follow it (decision 0047).

const isoTime = z.iso.datetime();

/** One entry per failed manifest, with the text to show; for deploy-all also per live manifest whose server does not respond. */
const failures = z.array(z.object({ id: z.string(), message: z.string() }));

export const reloadManifests = endpoint({
  id: 'reloadManifests',
  method: 'POST',
  path: '/admin/manifests/reload',
  summary:
    'Re-reads the deployed manifests, reconnects every broker and refetches what each server offers. Joins a reload that is already running',
  access: 'admin',
  answer: z.object({ success: z.literal(true), reloadedCount: z.int(), errors: failures, runId: z.uuid() }),
  errors: adminErrors,
});

export const deployAllManifests = endpoint({
  id: 'deployAllManifests',
  method: 'POST',
  path: '/admin/manifests/deploy-all',
  summary:
    'Deploys all manifests staged by administrators, independently of each other, and fetches what each server offers. Joins a run that is already under way',
  access: 'admin',
  body: z.strictObject({ reason: adminReason }),
  answer: z.object({
    success: z.literal(true),
    /** Number of manifests that are now live, including those whose server does not respond. */
    deployed: z.int(),
    failed: z.int(),
    errors: failures,
    runId: z.uuid(),
  }),
  errors: ['invalid_request', ...adminErrors],
});

/** Changes per manifest that the preview describes. */
export const previewedChanges = 5;
/** Servers with missing secrets that the preview lists. */
export const previewedSecrets = 50;
/** Manifests that the preview lists, the most critical first. */
export const previewedManifests = 20;

export const previewDeployAll = endpoint({
  id: 'previewDeployAll',
  method: 'GET',
  path: '/admin/staged-manifests',
  summary: 'Shows what deploy-all would deploy, and its effect on tools under review and on users',
  access: 'admin',
  answer: z.object({
    success: z.literal(true),
    /** The totals cover everything that deploy-all would deploy, not only the manifests listed below. */
    total: z.int(),
    toolsUnderReview: z.int(),
    /** Servers with tools under review. */
    serversUnderReview: z.int(),
    /** Tools that an administrator keeps hidden. A new version makes them trusted too. */
    toolsKeptHidden: z.int(),
    serversKeptHidden: z.int(),
    /** Servers that are rented now, and their number of rentals. */
    rentedServers: z.int(),
    renters: z.int(),
    /**
     * Servers that lack a secret: their number, and the first of them. They do not respond after the deployment until it is
     * set.
     */
    serversMissingSecrets: z.int(),
    missingSecrets: z.array(z.object({ id: z.string(), name: z.string(), count: z.int() })).max(previewedSecrets),
    /** Order: manifests with hidden tools, then rented ones, then those that replace a deployed version. */
    manifests: z
      .array(
        z.object({
          id: z.string(),
          name: z.string(),
          /** Deployed version; null: new in the shop. */
          from: z.string().nullable(),
          to: z.string(),
          /** Number of changed fields, and the first of them in words. */
          changedFields: z.int(),
          changes: z.array(z.string()).max(previewedChanges),
          /** Effects on users, one sentence each. Empty if users notice nothing. */
          effects: z.array(z.string()),
          /** Numbers of users who rent it, called it in the last 30 days, and, of the latter, must approve a higher price. */
          people: z.object({ renters: z.int(), users: z.int(), asked: z.int() }),
          /** Required secrets without a value; until they are set the server does not respond. */
          missingSecrets: z.int(),
        }),
      )
      .max(previewedManifests),
  }),
  errors: adminErrors,
});

/** interrupted: the broker that worked on it died, and no other broker could continue. */
const runStatus = z.enum(['running', 'done', 'interrupted']);

export const manifestRunSchema = z.object({
  id: z.uuid(),
  kind: z.enum(['reload', 'deploy-all']),
  status: runStatus,
  startedAt: isoTime,
  endedAt: isoTime.nullable(),
  /** null: the operator's command. */
  startedBy: z.object({ id: z.string(), email: z.string() }).nullable(),
  /** Reason given by the administrator. */
  reason: z.string().nullable(),
  /** Sorted by manifest id. */
  items: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      /** Version that deploy-all deploys; absent for a reload. */
      version: z.string().optional(),
      /** For deploy-all, asking: live, waiting for the server; unanswered: live, but the server did not respond. */
      status: z.enum(['queued', 'working', 'asking', 'done', 'unanswered', 'failed']),
      /** Reason for the failure, in the specification's words; or that it is live and why its server did not respond. */
      message: z.string().optional(),
    }),
  ),
});
export type ManifestRun = z.infer<typeof manifestRunSchema>;
export type ManifestRunItem = ManifestRun['items'][number];

const ofRun = z.object({ id: z.uuid() });

export const getManifestRun = endpoint({
  id: 'getManifestRun',
  method: 'GET',
  path: '/admin/manifests/runs/:id',
  summary: 'Returns a reload or deploy-all run with the state of each manifest',
  access: 'admin',
  params: ofRun,
  answer: z.object({ success: z.literal(true), run: manifestRunSchema }),
  errors: ['invalid_request', 'not_found', ...adminErrors],
});

/** Events of a run, each the JSON of one `data:` line: first the whole run, then each manifest that changes, finally the end. */
export const manifestRunEventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('run'), run: manifestRunSchema }),
  z.object({ type: z.literal('item'), item: manifestRunSchema.shape.items.element }),
  z.object({ type: z.literal('end'), run: manifestRunSchema }),
]);
export type ManifestRunEvent = z.infer<typeof manifestRunEventSchema>;

export const followManifestRun = endpoint({
  id: 'followManifestRun',
  method: 'GET',
  path: '/admin/manifests/runs/:id/events',
  summary: 'Streams the progress of a run, whichever broker works on it',
  access: 'admin',
  params: ofRun,
  mediaType: 'text/event-stream',
  answer: z.string(),
  errors: ['invalid_request', 'not_found', 'rate_limited', ...adminErrors],
});

export const listManifestRuns = endpoint({
  id: 'listManifestRuns',
  method: 'GET',
  path: '/admin/manifest-runs',
  summary: 'Lists the latest runs, at most 20, without their manifests',
  access: 'admin',
  answer: z.object({
    success: z.literal(true),
    runs: z
      .array(manifestRunSchema.omit({ items: true }).extend({ total: z.int(), done: z.int(), failed: z.int() }))
      .max(20),
  }),
  errors: adminErrors,
});

export const adminManifestRunEndpoints = [
  reloadManifests,
  deployAllManifests,
  previewDeployAll,
  getManifestRun,
  followManifestRun,
  listManifestRuns,
] as const;
