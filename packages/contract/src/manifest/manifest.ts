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

/** Whether a text is a path on our own origin. One that begins with two slashes or a backslash leads to another. */
export const isOwnPath = (text: string): boolean => /^\/(?![/\\])[^\s\\]*$/.test(text);

/** Whether pages may show the icon: no scripts, no data URLs and no unencrypted addresses. */
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
    /** Streamable HTTP address, or `service:<name>[/path]` for a demo service that Souk starts itself. */
    url: address(['https:', 'http:']),
  }),
  z.strictObject({ type: z.literal('websocket'), url: address(['wss:', 'ws:']) }),
  z.strictObject({
    type: z.literal('stdio'),
    /** Alias from the operator's allow-list, never a command line. */
    command: z.string().max(256),
  }),
]);

/** Headers that control the routing, length or content of a request, so that they cannot be secrets. */
const transportHeaders: ReadonlySet<string> = new Set(
  `host connection keep-alive transfer-encoding content-length content-type content-encoding te trailer upgrade expect
  accept accept-encoding origin referer last-event-id`.split(/\s+/),
);

function isTransportHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return transportHeaders.has(lower) || lower.startsWith('mcp-') || lower.startsWith('proxy-');
}

/**
 * Whether a text is an issuer (RFC 8414, section 2). Plain http is only for addresses that the operator allows, which the
 * sign-in checks.
 */
function isIssuer(text: string): boolean {
  const url = URL.parse(text);
  if (!url || url.username !== '' || url.password !== '' || /[?#]/.test(text)) return false;
  return url.protocol === 'https:' || url.protocol === 'http:';
}

const isOrigin = (text: string) => isIssuer(text) && URL.parse(text)?.origin === text;

const authSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('none') }),
  /** Each user signs in at the server (MCP authorization). */
  z.strictObject({
    type: z.literal('oauth'),
    clientId: line(2048).optional(),
    scopes: z.array(line(200)).max(50).optional(),
    /** Only accepted authorization server, for a server that names none, several, or one on another site. */
    issuer: line(2048)
      .refine(isIssuer, 'must be the address of an authorization server, as in its metadata')
      .optional(),
    /** Other origins where that authorization server may have endpoints. */
    endpointOrigins: z
      .array(line(300).refine(isOrigin, 'must be an origin such as https://login.example.com'))
      .min(1)
      .max(10)
      .optional(),
  }),
  /** Secrets in headers, supplied by the operator for all users or by each user. */
  z.strictObject({
    type: z.literal('headers'),
    headers: z
      .array(
        z.strictObject({
          name: z
            .string()
            .regex(/^[A-Za-z0-9-]{1,64}$/, 'must be a header name')
            .refine((name) => !isTransportHeader(name), 'is a header that HTTP or MCP sets itself'),
          from: z.enum(['operator', 'user']),
          description: line(300).optional(),
        }),
      )
      .min(1)
      .max(10),
  }),
]);

/** Parts of a definition that clients validate: if one is malformed, they reject the whole list of all servers (MCP, schema). */
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

/** Capabilities of a server that lists nothing before a sign-in. */
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
      /** Cents per month. */
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
  /** Credits per call by tool name; other tools are free to use. */
  toolCosts: z
    .record(
      z.string().min(1).max(256),
      z.int('must be a whole number of credits').min(0, 'must be 0 or more').max(1_000_000, 'must be at most 1000000'),
    )
    .default({}),
  /** Announced price by tool name; the one in `toolCosts` applies until then. */
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
  /** Also charge calls whose result has isError. */
  chargeOnErrors: z.boolean().default(false),
});

const manifestFields = z.strictObject({
  id: serverIdSchema,
  name: line(80),
  /** Kind of service, in the author's words; `mcp` for an ordinary one. */
  serviceType: line(40),
  version: z.string().regex(/^[0-9A-Za-z][0-9A-Za-z.+-]{0,39}$/, 'must be a version such as 1.0.0'),
  author: line(80).optional(),
  description: line(500),
  icon: z.string().max(2048).refine(isIcon, 'must be an https address, or a path on our own origin').optional(),
  /** Name in the public registry that it was imported from. */
  registryName: line(200).optional(),
  slug: slugSchema.optional(),
  category: categorySchema,
  /** Position on the home page, from 1. Servers without it follow, most used first. */
  featured: z.int('must be a whole number').min(1, 'must be at least 1').max(1000, 'must be at most 1000').optional(),
  connection: connectionSchema,
  /** One upstream connection for all users, or one per user (own credentials or state); a program defaults to one per user. */
  isolation: z.enum(['shared', 'perUser']).optional(),
  /**
   * Kinds of questions that tools may ask the user's client, if the server lists such tools only to clients that can answer.
   * Its tools are then also listed once for each kind, as a client that can answer it.
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
  /** Concurrent calls to this server. */
  maxInFlight: z
    .int('must be a whole number')
    .min(1, 'must be at least 1')
    .max(1024, 'must be at most 1024')
    .default(64),
  /**
   * Policy for tools that differ from what was deployed: `text-only` (the default) accepts new titles and descriptions and one
   * more optional argument, and hides tools that are new or changed otherwise; `strict` hides a tool for any change.
   */
  toolChanges: z.enum(['text-only', 'strict']).optional(),
  /**
   * Validates each result against its tool's whole outputSchema; an invalid one is refused and not charged. Presence and type
   * of structured content are always validated.
   */
  validateResults: z.boolean().optional(),
  billing: billingSchema.optional(),
  features: z.array(serverFeature).max(20).default([]),
});

/**
 * A server definition: what an administrator writes, and what is deployed.
 * Sources: spec part 2 sections 3 and 5 (Manifest, validation).
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
    context.addIssue({ code: 'custom', path: ['isolation'], message: 'must be perUser, because each user signs in' });
  }
  if (manifest.billing?.trialDays !== undefined && manifest.billing.tier === 'T0') {
    context.addIssue({
      code: 'custom',
      path: ['billing', 'trialDays'],
      message: 'must be absent: a T0 server is free',
    });
  }
});

export type Manifest = z.output<typeof manifestSchema>;

/** Fields that only the list of manifests returns. They are accepted so that a listed manifest can be sent back. */
const listedFields = {
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

/** A manifest as received: only `id`, `name`, `serviceType` and a connection are required (spec part 2, section 5). */
export const sentManifestSchema = manifestFields
  .extend({ author: line(80).nullable() })
  .partial({ version: true, description: true, category: true, author: true })
  .extend(z.object(listedFields).partial().shape);

/** Optional fields that completeManifest fills in. */
export const completedFields = ['version', 'description', 'category'] as const;

/**
 * Fills in the optional fields of a received manifest, and removes the fields that only the list returns. Anything but an object
 * is returned unchanged. Defaults: the first version, the name as description, the service type as category if it is one.
 */
export function completeManifest(sent: unknown): unknown {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) return sent;
  const given = new Map<string, unknown>(Object.entries(sent));
  for (const name of Object.keys(listedFields)) given.delete(name);
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
