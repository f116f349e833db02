import { z } from 'zod';
import { adminErrors } from './users.ts';
import { serverStatusSchema } from '../catalogue/catalogue.ts';
import { endpoint } from '../endpoint.ts';
import { questionKindSchema } from '../manifest/manifest-basics.ts';
import { toolChangeSchema } from '../catalogue/tool-changes.ts';

// What the page of a server shows beside its manifest (admin-manifests.ts).

const isoTime = z.iso.datetime();
const ofServer = z.object({ id: z.string().max(63) });
const version = z.string().max(40);

/** One field of two manifests, for people first. */
export const manifestDifferenceSchema = z.object({
  /** Such as billing.toolCosts.search. */
  path: z.string(),
  /** The change in words, such as "price of search: 3 -> 5 credits a call". */
  text: z.string(),
  /** undefined in the version that does not have the field. */
  before: z.unknown().optional(),
  after: z.unknown().optional(),
});
export type ManifestDifference = z.infer<typeof manifestDifferenceSchema>;

export const getServerDifferences = endpoint({
  id: 'getServerDifferences',
  method: 'GET',
  path: '/admin/servers/:id/differences',
  summary:
    'In what two versions of a manifest differ, in words, and what deploying the second does to people: the deployed and the staged one unless others are named',
  access: 'admin',
  params: ofServer,
  query: z.object({ from: version.optional(), to: version.optional() }),
  answer: z.object({
    success: z.literal(true),
    /** null: nothing is deployed, and none was named. */
    from: version.nullable(),
    to: version,
    /** The documents; `before` is null where there is none. */
    before: z.record(z.string(), z.unknown()).nullable(),
    after: z.record(z.string(), z.unknown()),
    differences: z.array(manifestDifferenceSchema),
    /** What it does and to whom, each a sentence: prices, renters, sign-ins, tools. Empty where nobody notices. */
    effects: z.array(z.string()),
    /**
     * People who rent it now, who called it in 30 days, and who of these agreed to less than a tool will cost: they are asked
     * before their next call of it.
     */
    people: z.object({ renters: z.int(), users: z.int(), asked: z.int() }),
    /** Secrets that the second needs and that have no value: without them its server does not answer. */
    missingSecrets: z.int(),
  }),
  errors: ['invalid_request', 'not_found', ...adminErrors],
});

export const rentersOfPage = 50;

export const listServerRenters = endpoint({
  id: 'listServerRenters',
  method: 'GET',
  path: '/admin/servers/:id/renters',
  summary: 'Who rents a server now, by pages, with what a refund of the part of their period that is left comes to',
  access: 'admin',
  params: ofServer,
  query: z.object({ page: z.coerce.number().int().min(1).max(1_000_000).default(1) }),
  answer: z.object({
    success: z.literal(true),
    renters: z
      .array(
        z.object({
          rentalId: z.string(),
          user: z.object({ id: z.string(), email: z.string(), displayName: z.string() }),
          source: z.enum(['payment', 'administrator']),
          endsAt: isoTime.nullable(),
          /** null: nothing was paid for it, or all of it is disputed. */
          refund: z.object({ amountCents: z.int(), currency: z.string() }).nullable(),
          /** A dispute keeps some or all of that from being paid back: the bank has the money. */
          isDisputed: z.boolean(),
        }),
      )
      .max(rentersOfPage),
    /** The rental at the payment provider, the last one where it is not for rent any more. null: the provider knows of none. */
    price: z
      .object({ productId: z.string(), priceId: z.string(), amountCents: z.int(), currency: z.string() })
      .nullable(),
    pagination: z.object({ page: z.int(), limit: z.int(), total: z.int(), pages: z.int() }),
  }),
  errors: ['invalid_request', ...adminErrors],
});

export const ownersOfPage = 50;

export const listServerOwners = endpoint({
  id: 'listServerOwners',
  method: 'GET',
  path: '/admin/servers/:id/owners',
  summary: 'Who has a server for themselves without renting it: by a purchase or in a trial, by pages',
  access: 'admin',
  params: ofServer,
  query: z.object({ page: z.coerce.number().int().min(1).max(1_000_000).default(1) }),
  answer: z.object({
    success: z.literal(true),
    owners: z
      .array(
        z.object({
          id: z.string(),
          user: z.object({ id: z.string(), email: z.string(), displayName: z.string() }),
          kind: z.enum(['purchase', 'trial']),
          endsAt: isoTime.nullable(),
        }),
      )
      .max(ownersOfPage),
    pagination: z.object({ page: z.int(), limit: z.int(), total: z.int(), pages: z.int() }),
  }),
  errors: ['invalid_request', ...adminErrors],
});

/** A child process (stdio). What one of a single person writes is not shown: it may name them. */
const child = z.object({
  /** null: it has no process at this moment. */
  pid: z.int().nullable(),
  /** shared: all people use it. person: one person's own. test: of a connection test. */
  use: z.enum(['shared', 'person', 'test']),
  startedAt: isoTime.nullable(),
  /** Resident memory; null where the machine does not tell. */
  memoryBytes: z.int().nullable(),
});

export const getServerFigures = endpoint({
  id: 'getServerFigures',
  method: 'GET',
  path: '/admin/servers/:id/figures',
  summary: 'How a server did in the last 30 days, from the sums by day, and how it is now on the broker that answers',
  access: 'admin',
  params: ofServer,
  answer: z.object({
    success: z.literal(true),
    /** null: it is not deployed. */
    now: z
      .object({
        status: serverStatusSchema,
        reason: z.string().nullable(),
        /** What happened underneath: it is written for an operator, and may name addresses. */
        detail: z.string().nullable(),
        /** Since when it is so; null before this was kept. */
        since: isoTime.nullable(),
        lastCheckAt: isoTime.nullable(),
        era: z.enum(['legacy', 'modern']).nullable(),
        children: z.array(child).max(200),
      })
      .nullable(),
    /** What all people did in the last 30 days (UTC). */
    month: z.object({
      /** Tool calls that were answered. */
      calls: z.int(),
      /** Tool calls that the server failed: none of `calls`. */
      errors: z.int(),
      /** Tool calls that were refused or canceled: none of `calls`. */
      refused: z.int(),
      /** null without an answered call. */
      p50Ms: z.int().nullable(),
      p95Ms: z.int().nullable(),
      credits: z.int(),
      /** What rentals brought, after refunds. */
      revenueCents: z.int(),
      currency: z.string(),
      users: z.int(),
    }),
    renters: z.int(),
    /** The last 30 days (UTC), today last. `percent` is of the checks; null for a day without one. */
    uptime: z.array(z.object({ day: z.iso.date(), percent: z.number().nullable() })),
  }),
  errors: ['not_found', ...adminErrors],
});
export type ServerFigures = z.infer<typeof getServerFigures.answer>;

export const listServerTools = endpoint({
  id: 'listServerTools',
  method: 'GET',
  path: '/admin/servers/:id/tools',
  summary:
    'The tools of a deployed server as an administrator sees them: prices, use, size, and what waits for a review',
  access: 'admin',
  params: ofServer,
  answer: z.object({
    success: z.literal(true),
    tools: z.array(
      z.object({
        name: z.string(),
        /** Its name on /mcp, as clients see it. */
        exposedName: z.string(),
        title: z.string().nullable(),
        description: z.string(),
        /** The price in the deployed version. */
        credits: z.int(),
        /** The price in the staged version; null where nothing is staged. */
        stagedCredits: z.int().nullable(),
        readOnly: z.boolean(),
        /** null: the server states neither that it is read-only nor whether it can delete or overwrite. */
        destructive: z.boolean().nullable(),
        /** Answered calls of the last 30 days. */
        calls: z.int(),
        /** Calls that the server failed in these days: none of `calls`. */
        errors: z.int(),
        /** How much of a model's context its definition takes, by our estimate. */
        tokens: z.int(),
        /** What the tool asks while it runs; null: nothing. Clients that cannot answer it do not see the tool. */
        asks: questionKindSchema.nullable(),
        /** It runs only as a task, which the gateway does not support: no link lists it. */
        needsTask: z.boolean(),
        /** Hidden from everyone until it is approved. */
        underReview: z.boolean(),
        /** How it changed, while that waits for a decision. */
        pendingChange: toolChangeSchema.nullable(),
        /** The decision that it stays hidden as it is now. `by` null: a deleted account. */
        keptHidden: z
          .object({
            at: isoTime,
            by: z.string().nullable(),
            reason: z.string().nullable(),
            /** It may be approved after all. */
            change: toolChangeSchema,
          })
          .nullable(),
      }),
    ),
    /** Prices of tools that the server does not offer. */
    pricedButMissing: z.array(z.object({ name: z.string(), credits: z.int() })),
  }),
  errors: ['not_found', ...adminErrors],
});
export type AdminTool = z.infer<typeof listServerTools.answer>['tools'][number];

export const getServerLog = endpoint({
  id: 'getServerLog',
  method: 'GET',
  path: '/admin/servers/:id/log',
  summary:
    'The last lines that the children which all people share, and those of connection tests, wrote to stderr on the broker that answers',
  access: 'admin',
  params: ofServer,
  answer: z.object({
    success: z.literal(true),
    lines: z.array(z.string()).max(200),
    /** Each person has a process of their own: its lines are not shown, since they may name that person. */
    isPerPerson: z.boolean(),
  }),
  errors: ['not_found', ...adminErrors],
});

const address = z.string().max(2048);
/** A server with its authorization server: where people, codes and secrets go. */
const issuerPlaceSchema = z.strictObject({
  /** What tokens are asked for: the server. */
  resource: address,
  issuer: address,
  authorizationEndpoint: address,
  tokenEndpoint: address,
  /** Origins of endpoints that are not the issuer's own. */
  origins: z.array(address).max(8),
});

/**
 * Who decides where people sign in at a server, and which client is shown there.
 * - open: the server does: the authorization server is on its own site, and we register there by ourselves
 * - waiting: nobody is sent to what the server names, and no client shown there, until an administrator confirms it
 * - confirmed: what the operator set, the manifest names or an administrator confirmed, and nothing else
 * - refused: the server names another one now, and nobody can sign in
 */
const signInStateSchema = z.enum(['open', 'waiting', 'confirmed', 'refused']);

/**
 * What there is to decide about an authorization server, beside that the operator's client is shown there.
 * - other-site: it is on another site than the server
 * - other-origins: it has endpoints at other origins than its own
 * - no-pkce: it does not say that it supports PKCE with S256
 */
const signInDoubtSchema = z.enum(['other-site', 'other-origins', 'no-pkce']);
export type SignInDoubt = z.infer<typeof signInDoubtSchema>;

export const serverSignInSchema = z.object({
  state: signInStateSchema,
  /** The id of the client that the operator registered; null: we register by ourselves. */
  clientId: z.string().nullable(),
  /** When we registered there, the last time; null: the next sign-in does, or no registration is needed. */
  registeredAt: isoTime.nullable(),
  /** The variable with which the operator decides instead of an administrator. */
  variable: z.string(),
  known: z
    .object({
      by: z.enum(['environment', 'manifest', 'administrator']),
      issuer: address,
      /** null: the issuer that the environment or the manifest names says it. */
      tokenEndpoint: address.nullable(),
      confirmedAt: isoTime.nullable(),
    })
    .nullable(),
  /** What the server names now; null where it does not say. */
  named: issuerPlaceSchema.nullable(),
  /** What there is to decide about it, or what was decided with a confirmation. */
  doubts: z.array(signInDoubtSchema),
  /** Why it does not say. */
  problem: z.string().nullable(),
});
export type ServerSignIn = z.infer<typeof serverSignInSchema>;

export const getServerSignIn = endpoint({
  id: 'getServerSignIn',
  method: 'GET',
  path: '/admin/servers/:id/sign-in',
  summary: 'Where people sign in at a deployed server, as it says now, and whether they may be sent there',
  access: 'admin',
  params: ofServer,
  answer: z.object({ success: z.literal(true), signIn: serverSignInSchema }),
  errors: ['not_found', ...adminErrors],
});

export const confirmServerIssuer = endpoint({
  id: 'confirmServerIssuer',
  method: 'POST',
  path: '/admin/servers/:id/sign-in/confirm',
  summary:
    'Lets people be sent to the authorization server that was shown, and our client be shown there, and nowhere else',
  access: 'admin',
  params: ofServer,
  body: issuerPlaceSchema,
  answer: z.object({ success: z.literal(true), signIn: serverSignInSchema }),
  errors: ['not_found', 'invalid_request', 'changed_since_shown', ...adminErrors],
});

export const registerAtServerAgain = endpoint({
  id: 'registerAtServerAgain',
  method: 'POST',
  path: '/admin/servers/:id/sign-in/register-again',
  summary:
    'Forgets the client that we registered at the authorization server of a server: the next sign-in registers anew. People who are signed in stay so',
  access: 'admin',
  params: ofServer,
  answer: z.object({ success: z.literal(true), signIn: serverSignInSchema }),
  errors: ['not_found', ...adminErrors],
});

/** What a connection test does, in order. `alias`, `sandbox` and `start` are of programs, the first four others of addresses. */
export const testStepSchema = z.enum([
  'manifest',
  'resolve',
  'address',
  'tls',
  'connect',
  'alias',
  'sandbox',
  'start',
  'initialize',
  'lists',
  'findings',
]);
export type TestStep = z.infer<typeof testStepSchema>;

export const testFindingSchema = z.object({
  /** bad: clients will notice. info: good to know. */
  weight: z.enum(['bad', 'info']),
  /** The tool, prompt or resource that it is about; null: the whole server. */
  about: z.string().nullable(),
  text: z.string(),
});

/** The events of a test, each as the JSON of one `data:` line; the last one is the end. */
export const connectionTestEventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('started'), testId: z.uuid(), steps: z.array(testStepSchema) }),
  z.object({ type: z.literal('working'), step: testStepSchema }),
  z.object({
    type: z.literal('step'),
    step: testStepSchema,
    /** skipped: there is nothing to do, as TLS of plain http; not-reached: the test ended before it. */
    result: z.enum(['passed', 'failed', 'skipped', 'not-reached']),
    /** What was found, such as "203.0.113.7, public" or why it failed, in an operator's words. */
    text: z.string(),
    ms: z.int(),
  }),
  /** What it offers, beside what the deployed version offers now. */
  z.object({
    type: z.literal('tools'),
    /** `exposedName`: its name on /mcp, as clients see it. */
    tools: z.array(z.object({ name: z.string(), exposedName: z.string(), tokens: z.int() })).max(512),
    prompts: z.int(),
    resources: z.int(),
    /** null: nothing is deployed. */
    compared: z
      .object({
        added: z.array(z.string()),
        removed: z.array(z.string()),
        /** Their schemas or annotations differ: after a deployment of a new version they are trusted as they are then. */
        changed: z.array(z.string()),
      })
      .nullable(),
  }),
  z.object({ type: z.literal('findings'), findings: z.array(testFindingSchema).max(500) }),
  /** What a program wrote to stderr, without secrets. */
  z.object({ type: z.literal('lines'), lines: z.array(z.string()).max(200) }),
  z.object({
    type: z.literal('end'),
    /** needs_account: it works, and wants each person's own account: 'needs a person's account'. */
    result: z.enum(['passed', 'failed', 'needs_account', 'cancelled']),
    text: z.string(),
    ms: z.int(),
  }),
]);
export type ConnectionTestEvent = z.infer<typeof connectionTestEventSchema>;

export const startConnectionTest = endpoint({
  id: 'startConnectionTest',
  method: 'POST',
  path: '/admin/connection-tests',
  summary:
    'Connects to the server of a stored or a posted manifest as a deployment would, and tells each step. One at a time for each administrator; ends when the client goes',
  access: 'admin',
  body: z.union([
    z.strictObject({
      serverId: z.string().max(63),
      /** The default is the staged version, else the deployed one. */
      version: version.optional(),
      /** Go on with the administrator's own account at a server that wants one. */
      withOwnAccount: z.boolean().default(false),
    }),
    z.strictObject({
      /** A document as POST /admin/manifests takes it: its text, so that every fault of it is told. */
      manifest: z.string().max(256 * 1024),
      withOwnAccount: z.boolean().default(false),
    }),
  ]),
  // a manifest of 256 KiB, quoted
  largestBody: 513 * 1024,
  mediaType: 'text/event-stream',
  answer: z.string(),
  errors: ['invalid_request', 'not_found', 'too_many_tests', 'payload_too_large', 'unavailable', ...adminErrors],
});

export const adminServerEndpoints = [
  getServerDifferences,
  listServerRenters,
  listServerOwners,
  getServerFigures,
  listServerTools,
  getServerLog,
  getServerSignIn,
  confirmServerIssuer,
  registerAtServerAgain,
  startConnectionTest,
] as const;
