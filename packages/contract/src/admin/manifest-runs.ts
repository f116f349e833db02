import { z } from 'zod';
import { adminErrors, adminReason } from './users.ts';
import { endpoint } from '../endpoint.ts';

// Reload and deploy-all: work on many manifests that is stored, so that everyone sees how it goes (decision 0047).

const isoTime = z.iso.datetime();

/** One line for each manifest that failed, with the text to show; of deploy-all also for each that is live and does not answer. */
const failures = z.array(z.object({ id: z.string(), message: z.string() }));

export const reloadManifests = endpoint({
  id: 'reloadManifests',
  method: 'POST',
  path: '/admin/manifests/reload',
  summary:
    'Reads the deployed manifests again, opens new connections on every broker, and asks each server what it offers. Joins a reload that runs already',
  access: 'admin',
  answer: z.object({ success: z.literal(true), reloadedCount: z.int(), errors: failures, runId: z.uuid() }),
  errors: adminErrors,
});

export const deployAllManifests = endpoint({
  id: 'deployAllManifests',
  method: 'POST',
  path: '/admin/manifests/deploy-all',
  summary:
    'Deploys everything that an administrator staged, each by itself, and asks each server what it offers. Joins a run that is under way already',
  access: 'admin',
  body: z.strictObject({ reason: adminReason }),
  answer: z.object({
    success: z.literal(true),
    /** They are live, whether their servers answer or not. */
    deployed: z.int(),
    failed: z.int(),
    errors: failures,
    runId: z.uuid(),
  }),
  errors: ['invalid_request', ...adminErrors],
});

/** The changes of a manifest that a preview says in words. */
export const previewedChanges = 5;
/** The servers of a preview that are named for their missing secrets. */
export const previewedSecrets = 50;
/** The manifests of a preview: what must be read most stands first. */
export const previewedManifests = 20;

export const previewDeployAll = endpoint({
  id: 'previewDeployAll',
  method: 'GET',
  path: '/admin/staged-manifests',
  summary: 'What deploy-all would deploy, and what that does to tools under review and to people, before it is done',
  access: 'admin',
  answer: z.object({
    success: z.literal(true),
    /** These count everything that deploy-all would deploy, not only the manifests below. */
    total: z.int(),
    toolsUnderReview: z.int(),
    /** Servers of which tools are under review. */
    serversUnderReview: z.int(),
    /** Tools that an administrator keeps hidden: they are trusted with a new version too. */
    toolsKeptHidden: z.int(),
    serversKeptHidden: z.int(),
    /** Servers that people rent now, and how many rentals those are. */
    rentedServers: z.int(),
    renters: z.int(),
    /** How many servers lack a secret, and the first of them: a server does not answer after the deployment until it has it. */
    serversMissingSecrets: z.int(),
    missingSecrets: z.array(z.object({ id: z.string(), name: z.string(), count: z.int() })).max(previewedSecrets),
    /** First those with hidden tools, then those that people rent, then those that replace a deployed version. */
    manifests: z
      .array(
        z.object({
          id: z.string(),
          name: z.string(),
          /** The deployed version; null: it is new in the shop. */
          from: z.string().nullable(),
          to: z.string(),
          /** How many fields change, and the first of them in words. */
          changedFields: z.int(),
          changes: z.array(z.string()).max(previewedChanges),
          /** What it does and to whom, each a sentence. Empty where nobody notices. */
          effects: z.array(z.string()),
          /** People who rent it now, who called it in 30 days, and who of these are asked about a higher price. */
          people: z.object({ renters: z.int(), users: z.int(), asked: z.int() }),
          /** Secrets that it needs and that have no value: without them its server does not answer. */
          missingSecrets: z.int(),
        }),
      )
      .max(previewedManifests),
  }),
  errors: adminErrors,
});

/** interrupted: the broker that worked on it died, and no other could go on. */
const runStatus = z.enum(['running', 'done', 'interrupted']);

export const manifestRunSchema = z.object({
  id: z.uuid(),
  kind: z.enum(['reload', 'deploy-all']),
  status: runStatus,
  startedAt: isoTime,
  endedAt: isoTime.nullable(),
  /** null: the operator's command. */
  startedBy: z.object({ id: z.string(), email: z.string() }).nullable(),
  /** Why it was started, in their words. */
  reason: z.string().nullable(),
  /** Sorted by manifest id. */
  items: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      /** The version that deploy-all deploys; a reload names none. */
      version: z.string().optional(),
      /** Of deploy-all, asking: it is live, and its server is asked; unanswered: it is live, and its server did not answer. */
      status: z.enum(['queued', 'working', 'asking', 'done', 'unanswered', 'failed']),
      /** Why it failed, as the specification's text has it, or that it is live and why its server did not answer. */
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
  summary: 'A reload or a deploy-all, with what became of each manifest so far',
  access: 'admin',
  params: ofRun,
  answer: z.object({ success: z.literal(true), run: manifestRunSchema }),
  errors: ['invalid_request', 'not_found', ...adminErrors],
});

/** The events of a run, each as the JSON of one `data:` line: first the whole run, then each manifest that changed; the last one is the end. */
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
  summary: 'A run as it happens, on whichever broker works on it',
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
  summary: 'The newest runs, at most 20, without their manifests',
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
