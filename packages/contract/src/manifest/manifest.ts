import { z } from 'zod';
import {
  categorySchema,
  line,
  questionKindSchema,
  serverFeature,
  serverIdSchema,
  slugSchema,
} from './manifest-basics.ts';
import { tierSchema } from '../tiers.ts';
import { momentTextSchema } from '../times.ts';

const serviceAddress = /^service:[a-z][a-z0-9-]*(\/[A-Za-z0-9/_-]*)?$/;
const address = (protocols: readonly string[]) =>
  z
    .string()
    .max(2048, 'must be at most 2048 characters')
    .refine(
      (text) => {
        if (serviceAddress.test(text)) return true;
        const url = URL.parse(text);
        return (
          url !== null &&
          protocols.includes(url.protocol) &&
          url.username === '' &&
          url.password === '' &&
          url.hash === ''
        );
      },
      `must be a ${protocols.map((p) => p.slice(0, -1)).join(' or ')} address without credentials, or service:<name>`,
    );

/** A path on our own origin: one that begins with two slashes or a backslash is an address elsewhere. */
export const isOwnPath = (text: string): boolean => /^\/(?![/\\])[^\s\\]*$/.test(text);

/** A page shows no other picture: scripts, data and addresses that are not encrypted are none. */
function isIcon(text: string): boolean {
  if (isOwnPath(text)) return true;
  const url = text.startsWith('https://') ? URL.parse(text) : null;
  return url !== null && url.username === '' && url.password === '';
}

const deadlineMs = (max: number) =>
  z.int('must be a whole number').min(100, 'must be at least 100').max(max, `must be at most ${max}`);

export const connectionSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('http'),
    /** Streamable HTTP address, or `service:<name>[/path]`: one of the demo services that Souk starts itself. */
    url: address(['https:', 'http:']),
  }),
  z.strictObject({ type: z.literal('websocket'), url: address(['wss:', 'ws:']) }),
  z.strictObject({
    type: z.literal('stdio'),
    /** An alias of the allow-list on the operator's disk, never a command line. */
    command: z.string().max(256),
  }),
]);

/** Headers that decide where a request goes, how long it is or what it says: no secret belongs there. */
const ofTransport: ReadonlySet<string> = new Set(
  `host connection keep-alive transfer-encoding content-length content-type content-encoding te trailer upgrade expect
  accept accept-encoding origin referer last-event-id`.split(/\s+/),
);

function isOfTransport(name: string): boolean {
  const lower = name.toLowerCase();
  return ofTransport.has(lower) || lower.startsWith('mcp-') || lower.startsWith('proxy-');
}

/** RFC 8414, section 2. Plain http is for addresses that the operator allows, which the sign-in checks. */
function isIssuer(text: string): boolean {
  const url = URL.parse(text);
  if (!url || url.username !== '' || url.password !== '' || /[?#]/.test(text)) return false;
  return url.protocol === 'https:' || url.protocol === 'http:';
}

const isOrigin = (text: string) => isIssuer(text) && URL.parse(text)?.origin === text;

const authSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('none') }),
  /** Each person signs in at the server itself (MCP authorization). */
  z.strictObject({
    type: z.literal('oauth'),
    clientId: line(2048).optional(),
    scopes: z.array(line(200)).max(50).optional(),
    /** The authorization server, where the server names none, several, or one on another site. No other one is used. */
    issuer: line(2048)
      .refine(isIssuer, 'must be the address of an authorization server, as in its metadata')
      .optional(),
    /** Other origins at which that authorization server may have endpoints. */
    endpointOrigins: z
      .array(line(300).refine(isOrigin, 'must be an origin such as https://login.example.com'))
      .min(1)
      .max(10)
      .optional(),
  }),
  /** Secrets in headers, supplied by the operator for all or by each person. */
  z.strictObject({
    type: z.literal('headers'),
    headers: z
      .array(
        z.strictObject({
          name: z
            .string()
            .regex(/^[A-Za-z0-9-]{1,64}$/, 'must be a header name')
            .refine((name) => !isOfTransport(name), 'is a header that HTTP or MCP sets itself'),
          from: z.enum(['operator', 'user']),
          description: line(300).optional(),
        }),
      )
      .min(1)
      .max(10),
  }),
]);

/** What clients check of a definition: for one that is ill-shaped they refuse the list of every server (MCP, schema). */
const definition = z.looseObject({
  name: line(256),
  title: z.string().optional(),
  description: z.string().optional(),
  icons: z.array(z.looseObject({ src: z.string() })).optional(),
  _meta: z.record(z.string(), z.unknown()).optional(),
});
const hint = z.boolean().optional();
const toolAnnotations = z.looseObject({
  title: z.string().optional(),
  readOnlyHint: hint,
  destructiveHint: hint,
  idempotentHint: hint,
  openWorldHint: hint,
});
const schemaOfObject = z.looseObject({
  type: z.literal('object'),
  properties: z.record(z.string(), z.looseObject({})).optional(),
  required: z.array(z.string()).optional(),
});
const promptArgument = z.looseObject({ name: z.string(), description: z.string().optional(), required: hint });

/** What a server offers, for servers that answer nothing before a person has signed in. */
const snapshotSchema = z.strictObject({
  tools: z
    .array(
      definition.extend({
        inputSchema: schemaOfObject,
        outputSchema: schemaOfObject.optional(),
        annotations: toolAnnotations.optional(),
      }),
    )
    .max(512, 'must be at most 512 tools')
    .default([]),
  prompts: z
    .array(definition.extend({ arguments: z.array(promptArgument).optional() }))
    .max(512)
    .default([]),
  resources: z
    .array(definition.extend({ uri: z.string().min(1).max(2048), mimeType: z.string().optional() }))
    .max(2048)
    .default([]),
});

const billingSchema = z.strictObject({
  tier: tierSchema,
  rental: z
    .strictObject({
      /** Cents a month. */
      price: z
        .int('must be a whole number of cents')
        .min(1, 'must be at least 1 cent')
        .max(100_000_00, 'must be at most 10000000 cents'),
      currency: z
        .string()
        .regex(/^[A-Z]{3}$/, 'must be three capital letters, such as USD')
        .default('USD'),
      name: line(120).optional(),
      description: line(500).optional(),
    })
    .optional(),
  /** Tool name -> credits a call; other tools are free to use. */
  toolCosts: z
    .record(
      z.string().min(1).max(256),
      z.int('must be a whole number of credits').min(0, 'must be 0 or more').max(1_000_000, 'must be at most 1000000'),
    )
    .default({}),
  /** Tool name -> what a call costs from a date on; the price in `toolCosts` holds until then. */
  announcedPrices: z
    .record(
      z.string().min(1).max(256),
      z.strictObject({
        credits: z
          .int('must be a whole number of credits')
          .min(0, 'must be 0 or more')
          .max(1_000_000, 'must be at most 1000000'),
        from: momentTextSchema,
      }),
    )
    .optional(),
  trialDays: z
    .int('must be a whole number of days')
    .min(1, 'must be at least 1')
    .max(90, 'must be at most 90')
    .optional(),
  /** Charge calls that answer with isError too. */
  chargeOnErrors: z.boolean().default(false),
});

const manifestFields = z.strictObject({
  id: serverIdSchema,
  name: line(80),
  /** The kind of service, in the author's words; `mcp` for an ordinary one. */
  serviceType: line(40),
  version: z.string().regex(/^[0-9A-Za-z][0-9A-Za-z.+-]{0,39}$/, 'must be a version such as 1.0.0'),
  author: line(80).optional(),
  description: line(500),
  icon: z.string().max(2048).refine(isIcon, 'must be an https address, or a path on our own origin').optional(),
  /** Name in a public registry, when imported from one. */
  registryName: line(200).optional(),
  slug: slugSchema.optional(),
  category: categorySchema,
  /** The operator's order on home: 1 stands first. Servers without it follow, the most used first. */
  featured: z.int('must be a whole number').min(1, 'must be at least 1').max(1000, 'must be at most 1000').optional(),
  connection: connectionSchema,
  /** One upstream connection for everyone, or one for each person (own credentials or state); by default a program has one for each. */
  isolation: z.enum(['shared', 'perUser']).optional(),
  /**
   * What the server may ask a person's client while a tool runs, where it lists the tools that ask only to clients that
   * can answer: it is asked for its tools as a client of each kind, too.
   */
  asks: z.array(questionKindSchema).min(1).max(4).optional(),
  auth: authSchema.default({ type: 'none' }),
  capabilitySnapshot: snapshotSchema.optional(),
  deadlines: z
    .strictObject({
      connectMs: deadlineMs(30_000).default(5_000),
      listMs: deadlineMs(60_000).default(10_000),
      callMs: deadlineMs(300_000).default(60_000),
    })
    .prefault({}),
  /** Calls under way at once to this server. */
  maxInFlight: z
    .int('must be a whole number')
    .min(1, 'must be at least 1')
    .max(1024, 'must be at most 1024')
    .default(64),
  /**
   * What happens when a tool differs from what was deployed: `text-only` (the default) accepts new titles and
   * descriptions and hides a tool whose schema or annotations changed; `strict` hides it for any change.
   */
  toolChanges: z.enum(['text-only', 'strict']).optional(),
  /**
   * Compare each result with the whole outputSchema of its tool; one that does not fit is refused and not charged. That it has
   * structured content, and of which type, is always looked at.
   */
  validateResults: z.boolean().optional(),
  billing: billingSchema.optional(),
  features: z.array(serverFeature).max(20).default([]),
});

/**
 * A server definition: what an administrator writes, and what is deployed.
 * Sources: spec part 2 sections 3 and 5 (Manifest, validation), gateway.md for isolation and limits.
 */
export const manifestSchema = manifestFields.superRefine((manifest, context) => {
  if (manifest.auth.type === 'oauth' && manifest.connection.type === 'stdio') {
    context.addIssue({
      code: 'custom',
      path: ['auth', 'type'],
      message: 'oauth needs an http or websocket connection',
    });
  }
  if (manifest.auth.type === 'oauth' && manifest.isolation === 'shared') {
    context.addIssue({ code: 'custom', path: ['isolation'], message: 'must be perUser when each person signs in' });
  }
  if (manifest.billing?.trialDays !== undefined && manifest.billing.tier === 'T0') {
    context.addIssue({ code: 'custom', path: ['billing', 'trialDays'], message: 'a T0 server is free: no trial' });
  }
});

export type Manifest = z.output<typeof manifestSchema>;

/** What the list of manifests answers of each, and no manifest says: a row that was read can be sent back. */
const ofListAlone = {
  isActive: z.boolean(),
  capabilities: z.looseObject({}),
  deployedVersion: z.string().nullable(),
  stagedVersion: z.string().nullable(),
  stagedOrigin: z.string().nullable(),
  status: z.string().nullable(),
  statusDetail: z.string(),
  toolsUnderReview: z.int(),
  renters: z.int(),
};

/** A manifest as it is sent: only `id`, `name`, `serviceType` and a connection are demanded (spec part 2, section 5). */
export const sentManifestSchema = manifestFields.extend({ ...ofListAlone, author: line(80).nullable() }).partial({
  version: true,
  description: true,
  category: true,
  author: true,
  isActive: true,
  capabilities: true,
  deployedVersion: true,
  stagedVersion: true,
  stagedOrigin: true,
  status: true,
  statusDetail: true,
  toolsUnderReview: true,
  renters: true,
});

/** The fields that a manifest may leave out because they are filled in. */
export const completedFields = ['version', 'description', 'category'] as const;

/**
 * What was sent as a manifest, with what was left out and without what only the list answers. What is no object stays as it is.
 * A version that is left out is the first one; a description is the name; a category is the service type where it is one.
 */
export function completeManifest(sent: unknown): unknown {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) return sent;
  const given = new Map<string, unknown>(Object.entries(sent));
  for (const name of Object.keys(ofListAlone)) given.delete(name);
  if (given.get('author') === null) given.delete('author');
  const { success, data } = categorySchema.safeParse(given.get('serviceType'));
  const values: Readonly<Record<(typeof completedFields)[number], unknown>> = {
    version: '1.0.0',
    description: given.get('name'),
    category: success ? data : 'api',
  };
  for (const name of completedFields) if (!given.has(name) && values[name] !== undefined) given.set(name, values[name]);
  return Object.fromEntries(given);
}
