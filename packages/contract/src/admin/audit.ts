import { z } from 'zod';
import { adminErrors } from './users.ts';
import { auditGroupNames } from './audit-actions.ts';
import { endpoint } from '../endpoint.ts';
import { daySchema, numberedCursorSchema } from '../times.ts';

/** Actor. person: a user. operator: a command; `name` is the system user, null if unknown. broker: a rule of the broker. */
const auditActorSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('person'), id: z.string(), email: z.string().nullable() }),
  z.object({ kind: z.literal('operator'), name: z.string().nullable() }),
  z.object({ kind: z.literal('broker') }),
]);

export const auditEntrySchema = z.object({
  id: z.string(),
  at: z.iso.datetime(),
  who: auditActorSchema,
  /** Name, for example manifest.deployed; `text` is the same in words. */
  action: z.string(),
  text: z.string(),
  object: z.object({
    /** Stored id, for example travel/plan_round_trip or a user's id. */
    id: z.string(),
    /** Display name. For a user and their payments: the e-mail address of an existing user. */
    name: z.string(),
    /** The object's page. */
    serverId: z.string().nullable(),
    userId: z.string().nullable(),
    offerId: z.string().nullable(),
  }),
  /** Fields whose value changed. */
  changes: z.array(z.object({ field: z.string(), before: z.string().nullable(), after: z.string().nullable() })),
  /** Other recorded details. */
  facts: z.array(z.object({ name: z.string(), text: z.string() })),
  /** Recorded ids of our rows and of the payment provider, separate because they serve searches rather than readers. */
  ids: z.array(z.object({ name: z.string(), text: z.string() })),
  reason: z.string().nullable(),
  /** Network address of the administrator; null for other actors and for erased users. */
  address: z.string().nullable(),
});
export type AuditEntryShown = z.infer<typeof auditEntrySchema>;

/** Filter of the audit log. An absent field does not filter. */
export const auditFilterSchema = z.object({
  /** people, operators or broker; a user's id or the beginning of their e-mail address; operator:NAME. */
  who: z.string().trim().min(1).max(320).optional(),
  group: z.enum(auditGroupNames).optional(),
  /** Beginning of the object's id, such as a server's id, or of a user's e-mail address; case-insensitive. */
  object: z.string().trim().min(1).max(200).optional(),
  /** Inclusive. */
  from: daySchema.optional(),
  /** A day or moment, inclusive. */
  to: daySchema.optional(),
});
export type AuditFilter = z.output<typeof auditFilterSchema>;

/** Rejects a filter whose period is empty. */
export const withValidPeriod = <Schema extends z.ZodType<AuditFilter>>(schema: Schema): Schema =>
  schema.refine(({ from, to }) => !from || !to || from.from < to.to, {
    path: ['from'],
    message: 'must not be later than `to`',
  });

const auditEntriesPerPage = 50;
export const maxAuditEntries = 200;

export const listAudit = endpoint({
  id: 'listAudit',
  method: 'GET',
  path: '/admin/audit',
  summary: 'Lists what administrators, operators and the broker did, newest first, paged in both directions',
  access: 'admin',
  weight: 10,
  query: withValidPeriod(
    auditFilterSchema.extend({
      limit: z.coerce.number().int().min(1).max(maxAuditEntries).default(auditEntriesPerPage),
      /** `older` or `newer` of another page. */
      cursor: numberedCursorSchema.optional(),
      /** Direction from the cursor. */
      side: z.enum(['older', 'newer']).default('older'),
    }),
  ),
  answer: z.object({
    success: z.literal(true),
    entries: z.array(auditEntrySchema).max(maxAuditEntries),
    /** Cursors of the adjacent pages; null at the end. */
    newer: z.string().nullable(),
    older: z.string().nullable(),
  }),
  errors: ['invalid_request', ...adminErrors],
});

/** Rows per file. */
export const maxAuditFileRows = 100_000;

const ofFile = {
  method: 'GET',
  access: 'admin',
  weight: 50,
  query: withValidPeriod(auditFilterSchema),
  answer: z.string(),
  errors: ['too_many_downloads', 'invalid_request', ...adminErrors],
} as const;

export const getAuditCsv = endpoint({
  ...ofFile,
  id: 'getAuditCsv',
  path: '/admin/audit.csv',
  summary: 'Downloads the audit log as CSV, newest first, at most 100,000 rows. The download is recorded in the log',
  mediaType: 'text/csv',
});

export const getAuditLines = endpoint({
  ...ofFile,
  id: 'getAuditLines',
  path: '/admin/audit.jsonl',
  summary:
    'Downloads the audit log as JSON Lines, newest first, at most 100,000 rows. The download is recorded in the log',
  mediaType: 'application/x-ndjson',
});

export const adminAuditEndpoints = [listAudit, getAuditCsv, getAuditLines] as const;
