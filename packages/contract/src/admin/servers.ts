import { z } from 'zod';
import { adminErrors } from './users.ts';
import { serverStatusSchema } from '../catalogue/catalogue.ts';
import { endpoint } from '../endpoint.ts';
import { questionKindSchema } from '../manifest/manifest-basics.ts';
import { toolChangeSchema } from '../catalogue/tool-changes.ts';

// Contents of a server's page besides its manifest (manifests.ts).

const isoTime = z.iso.datetime();
const ofServer = z.object({ id: z.string().max(63) });
const version = z.string().max(40);

/** A field that differs between two manifests. */
export const manifestDifferenceSchema = z.object({
  /** For example billing.toolCosts.search. */
  path: z.string(),
  /** Change in words, for example "price of search: 3 -> 5 credits a call". */
  text: z.string(),
  /** undefined if that version lacks the field. */
  before: z.unknown().optional(),
  after: z.unknown().optional(),
});
export type ManifestDifference = z.infer<typeof manifestDifferenceSchema>;

export const getServerDifferences = endpoint({
  id: 'getServerDifferences',
  method: 'GET',
  path: '/admin/servers/:id/differences',
  summary:
    'Compares two versions of a manifest in words, with the effects of deploying the second; by default the deployed and the staged version',
  access: 'admin',
  params: ofServer,
  query: z.object({ from: version.optional(), to: version.optional() }),
  answer: z.object({
    success: z.literal(true),
    /** null: nothing is deployed, and the request named no version. */
    from: version.nullable(),
    to: version,
    /** Manifests; `before` is null if there is none. */
    before: z.record(z.string(), z.unknown()).nullable(),
    after: z.record(z.string(), z.unknown()),
    differences: z.array(manifestDifferenceSchema),
    /** Effects on prices, renters, sign-ins and tools, one sentence each. Empty if users notice nothing. */
    effects: z.array(z.string()),
    /**
     * Number of users who rent it now, who called it in the last 30 days, and who of the latter accepted a lower price for a
     * tool: they are asked before their next call of it.
     */
    people: z.object({ renters: z.int(), users: z.int(), asked: z.int() }),
    /** Secrets required by the second version without a value; until they are set the server does not respond. */
    missingSecrets: z.int(),
  }),
  errors: ['invalid_request', 'not_found', ...adminErrors],
});

export const rentersPerPage = 50;

export const listServerRenters = endpoint({
  id: 'listServerRenters',
  method: 'GET',
  path: '/admin/servers/:id/renters',
  summary: 'Lists who rents a server now, with the refund for the unused time, in pages',
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
          /** null: nothing was paid, or all of it is disputed. */
          refund: z.object({ amountCents: z.int(), currency: z.string() }).nullable(),
          /** Whether some or all of the payment is disputed and cannot be refunded: the bank has that money. */
          isDisputed: z.boolean(),
        }),
      )
      .max(rentersPerPage),
    /** Rental price at the payment provider; the last one if it is no longer for rent. null: the provider has none. */
    price: z
      .object({ productId: z.string(), priceId: z.string(), amountCents: z.int(), currency: z.string() })
      .nullable(),
    pagination: z.object({ page: z.int(), limit: z.int(), total: z.int(), pages: z.int() }),
  }),
  errors: ['invalid_request', ...adminErrors],
});

export const ownersPerPage = 50;

export const listServerOwners = endpoint({
  id: 'listServerOwners',
  method: 'GET',
  path: '/admin/servers/:id/owners',
  summary: 'Lists who has a server through a purchase or a trial rather than a rental, in pages',
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
      .max(ownersPerPage),
    pagination: z.object({ page: z.int(), limit: z.int(), total: z.int(), pages: z.int() }),
  }),
  errors: ['invalid_request', ...adminErrors],
});

/** A child process (stdio). The output of a single user's process is not shown, because it may name them. */
const child = z.object({
  /** null: not running at the moment. */
  pid: z.int().nullable(),
  /** shared: used by all users. person: one user's own. test: part of a connection test. */
  use: z.enum(['shared', 'person', 'test']),
  startedAt: isoTime.nullable(),
  /** Resident memory; null if unknown. */
  memoryBytes: z.int().nullable(),
});

export const getServerFigures = endpoint({
  id: 'getServerFigures',
  method: 'GET',
  path: '/admin/servers/:id/figures',
  summary: "Returns a server's figures for the last 30 days, and its current state on the responding broker",
  access: 'admin',
  params: ofServer,
  answer: z.object({
    success: z.literal(true),
    /** null: not deployed. */
    now: z
      .object({
        status: serverStatusSchema,
        reason: z.string().nullable(),
        /** Technical cause, written for an operator; may contain addresses. */
        detail: z.string().nullable(),
        /** Start of this status; null if it began before this was recorded. */
        since: isoTime.nullable(),
        lastCheckAt: isoTime.nullable(),
        era: z.enum(['legacy', 'modern']).nullable(),
        children: z.array(child).max(200),
      })
      .nullable(),
    /** Use by all users in the last 30 days (UTC). */
    month: z.object({
      /** Tool calls that were answered. */
      calls: z.int(),
      /** Failed tool calls, not part of `calls`. */
      errors: z.int(),
      /** Refused or canceled tool calls, not part of `calls`. */
      refused: z.int(),
      /** null if no call was answered. */
      p50Ms: z.int().nullable(),
      p95Ms: z.int().nullable(),
      credits: z.int(),
      /** Revenue from rentals, after refunds. */
      revenueCents: z.int(),
      currency: z.string(),
      users: z.int(),
    }),
    renters: z.int(),
    /** Last 30 days (UTC), today last. `percent` of the day's checks; null for a day without checks. */
    uptime: z.array(z.object({ day: z.iso.date(), percent: z.number().nullable() })),
  }),
  errors: ['not_found', ...adminErrors],
});
export type ServerFigures = z.infer<typeof getServerFigures.answer>;

export const listServerTools = endpoint({
  id: 'listServerTools',
  method: 'GET',
  path: '/admin/servers/:id/tools',
  summary: "Lists a deployed server's tools for an administrator: prices, use, size and pending reviews",
  access: 'admin',
  params: ofServer,
  answer: z.object({
    success: z.literal(true),
    tools: z.array(
      z.object({
        name: z.string(),
        /** Name on /mcp, as clients see it. */
        exposedName: z.string(),
        title: z.string().nullable(),
        description: z.string(),
        /** Price in the deployed version. */
        credits: z.int(),
        /** Price in the staged version; null if nothing is staged. */
        stagedCredits: z.int().nullable(),
        readOnly: z.boolean(),
        /** null: the server declares neither that it is read-only nor whether it can delete or overwrite. */
        destructive: z.boolean().nullable(),
        /** Answered calls in the last 30 days. */
        calls: z.int(),
        /** Failed calls in the last 30 days, not part of `calls`. */
        errors: z.int(),
        /** Estimated size of its definition in a model's context. */
        tokens: z.int(),
        /** Kind of question that the tool asks while it runs; null: none. Clients that cannot answer do not see the tool. */
        asks: questionKindSchema.nullable(),
        /** Runs only as a task, which the gateway does not support; no link lists it. */
        needsTask: z.boolean(),
        /** Hidden from all users until it is approved. */
        underReview: z.boolean(),
        /** Change that awaits a decision. */
        pendingChange: toolChangeSchema.nullable(),
        /** Decision to keep it hidden in its current form. `by` null: a deleted account. */
        keptHidden: z
          .object({
            at: isoTime,
            by: z.string().nullable(),
            reason: z.string().nullable(),
            /** Change that can still be approved. */
            change: toolChangeSchema,
          })
          .nullable(),
      }),
    ),
    /** Priced tools that the server does not offer. */
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
    'Returns the last stderr lines of the shared child processes and of connection tests on the responding broker',
  access: 'admin',
  params: ofServer,
  answer: z.object({
    success: z.literal(true),
    lines: z.array(z.string()).max(200),
    /** Whether each user has their own process. Its lines are not shown, because they may identify the user. */
    isPerPerson: z.boolean(),
  }),
  errors: ['not_found', ...adminErrors],
});

const address = z.string().max(2048);
/** A server and its authorization server: the recipients of users, codes and secrets. */
const issuerPlaceSchema = z.strictObject({
  /** Resource for which tokens are requested: the server. */
  resource: address,
  issuer: address,
  authorizationEndpoint: address,
  tokenEndpoint: address,
  /** Origins of endpoints outside the issuer's origin. */
  origins: z.array(address).max(8),
});

/**
 * State of the decision where users sign in at a server and which OAuth client is sent there.
 * - open: the server decides: its authorization server is on its own site, and we register there automatically
 * - waiting: no user and no client is sent to what the server names until an administrator confirms it
 * - confirmed: users sign in only at the one that the operator set, the manifest names or an administrator confirmed
 * - refused: the server now names another one, and sign-in is blocked
 */
const signInStateSchema = z.enum(['open', 'waiting', 'confirmed', 'refused']);

/**
 * Doubts about an authorization server that an administrator has to accept. Use of the operator's client has to be confirmed
 * too.
 * - other-site: on another site than the server
 * - other-origins: has endpoints at origins other than its own
 * - no-pkce: does not declare support for PKCE with S256
 */
const signInDoubtSchema = z.enum(['other-site', 'other-origins', 'no-pkce']);
export type SignInDoubt = z.infer<typeof signInDoubtSchema>;

export const serverSignInSchema = z.object({
  state: signInStateSchema,
  /** Client that the operator registered; null: we register automatically. */
  clientId: z.string().nullable(),
  /** Time of our last registration; null: registered at the next sign-in, or not needed. */
  registeredAt: isoTime.nullable(),
  /** Variable with which the operator can decide instead of an administrator. */
  variable: z.string(),
  known: z
    .object({
      by: z.enum(['environment', 'manifest', 'administrator']),
      issuer: address,
      /** null: given by the issuer that the environment or manifest names. */
      tokenEndpoint: address.nullable(),
      confirmedAt: isoTime.nullable(),
    })
    .nullable(),
  /** Currently named by the server; null if it names none. */
  named: issuerPlaceSchema.nullable(),
  /** Open doubts, or those accepted with the confirmation. */
  doubts: z.array(signInDoubtSchema),
  /** Reason why the server names none. */
  problem: z.string().nullable(),
});
export type ServerSignIn = z.infer<typeof serverSignInSchema>;

export const getServerSignIn = endpoint({
  id: 'getServerSignIn',
  method: 'GET',
  path: '/admin/servers/:id/sign-in',
  summary:
    'Returns where users sign in at a deployed server, as it currently states, and whether they may be sent there',
  access: 'admin',
  params: ofServer,
  answer: z.object({ success: z.literal(true), signIn: serverSignInSchema }),
  errors: ['not_found', ...adminErrors],
});

export const confirmServerIssuer = endpoint({
  id: 'confirmServerIssuer',
  method: 'POST',
  path: '/admin/servers/:id/sign-in/confirm',
  summary: 'Allows users and our client to be sent to the authorization server shown, and to no other',
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
    "Forgets our client registration at a server's authorization server, so that the next sign-in registers again. Signed-in users stay signed in",
  access: 'admin',
  params: ofServer,
  answer: z.object({ success: z.literal(true), signIn: serverSignInSchema }),
  errors: ['not_found', ...adminErrors],
});

/** Steps of a connection test, in order. `resolve` to `connect` apply to addresses, `alias` to `start` to programs. */
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
  /** bad: clients will notice. */
  weight: z.enum(['bad', 'info']),
  /** Tool, prompt or resource concerned; null: the whole server. */
  about: z.string().nullable(),
  text: z.string(),
});

/** Events of a test, each the JSON of one `data:` line; the last one is the end. */
export const connectionTestEventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('started'), testId: z.uuid(), steps: z.array(testStepSchema) }),
  z.object({ type: z.literal('working'), step: testStepSchema }),
  z.object({
    type: z.literal('step'),
    step: testStepSchema,
    /** skipped: nothing to do, for example TLS for plain http. not-reached: the test ended earlier. */
    result: z.enum(['passed', 'failed', 'skipped', 'not-reached']),
    /** Finding, for example "203.0.113.7, public", or the reason for a failure, written for an operator. */
    text: z.string(),
    ms: z.int(),
  }),
  /** Tools offered, compared with the deployed version. */
  z.object({
    type: z.literal('tools'),
    /** `exposedName`: name on /mcp, as clients see it. */
    tools: z.array(z.object({ name: z.string(), exposedName: z.string(), tokens: z.int() })).max(512),
    prompts: z.int(),
    resources: z.int(),
    /** null: nothing is deployed. */
    compared: z
      .object({
        added: z.array(z.string()),
        removed: z.array(z.string()),
        /** Tools with other schemas or annotations; deploying a new version makes them trusted in that form. */
        changed: z.array(z.string()),
      })
      .nullable(),
  }),
  z.object({ type: z.literal('findings'), findings: z.array(testFindingSchema).max(500) }),
  /** Program's stderr output, without secrets. */
  z.object({ type: z.literal('lines'), lines: z.array(z.string()).max(200) }),
  z.object({
    type: z.literal('end'),
    /** needs_account: it responds, but each user needs their own account. */
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
    'Connects to the server of a stored or posted manifest as a deployment would, and streams each step. One at a time per administrator; ends when the client disconnects',
  access: 'admin',
  body: z.union([
    z.strictObject({
      serverId: z.string().max(63),
      /** Default: the staged version, else the deployed one. */
      version: version.optional(),
      /** Use the administrator's own account if the server requires one. */
      withOwnAccount: z.boolean().default(false),
    }),
    z.strictObject({
      /** Manifest as for POST /admin/manifests, as text, so that all its errors can be reported. */
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
