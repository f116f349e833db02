import { z } from 'zod';
import { adminErrors } from './users.ts';
import { auditGroupNames } from './audit-actions.ts';
import { endpoint } from '../endpoint.ts';
import { daySchema, numberedCursorSchema } from '../times.ts';

/** Who acted. broker: a rule of the broker itself. operator: a command; its name is null where the command knew none. */
const auditActorSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('person'), id: z.string(), email: z.string().nullable() }),
  z.object({ kind: z.literal('operator'), name: z.string().nullable() }),
  z.object({ kind: z.literal('broker') }),
]);

export const auditEntrySchema = z.object({
  id: z.string(),
  at: z.iso.datetime(),
  who: auditActorSchema,
  /** Such as manifest.deployed; `text` says it in words. */
  action: z.string(),
  text: z.string(),
  object: z.object({
    /** As it is stored, such as travel/plan_round_trip or the id of a user. */
    id: z.string(),
    /** For people, and for payments of theirs: the e-mail address of a user who is there. */
    name: z.string(),
    /** The page that it belongs to. */
    serverId: z.string().nullable(),
    userId: z.string().nullable(),
    offerId: z.string().nullable(),
  }),
  /** What was one thing before and is another since. */
  changes: z.array(z.object({ field: z.string(), before: z.string().nullable(), after: z.string().nullable() })),
  /** What else was written down. */
  facts: z.array(z.object({ name: z.string(), text: z.string() })),
  /** Ids that were written down, of rows here and of the payment provider: a search needs them, and few readers. */
  ids: z.array(z.object({ name: z.string(), text: z.string() })),
  reason: z.string().nullable(),
  /** The network address that an administrator acted from; null for others, and of people who were erased. */
  address: z.string().nullable(),
});
export type AuditEntryShown = z.infer<typeof auditEntrySchema>;

/** The kinds of actors that `who` may name, beside one user or one operator. */
export const auditActorKinds = ['people', 'operators', 'broker'] as const;

/** Rows of the audit log that are wanted. Without a field, all. */
export const auditFilterSchema = z.object({
  /** people, operators or broker; the id of a user, or the beginning of their e-mail address; operator:NAME. */
  who: z.string().trim().min(1).max(320).optional(),
  group: z.enum(auditGroupNames).optional(),
  /** The beginning of what it happened to, such as a server's id, in any case; or of a user's e-mail address. */
  object: z.string().trim().min(1).max(200).optional(),
  /** Inclusive. */
  from: daySchema.optional(),
  /** A day or moment, inclusive. */
  to: daySchema.optional(),
});
export type AuditFilter = z.output<typeof auditFilterSchema>;

/** The filter, with what is added to it, refused where no row can fit it. */
export const inOrder = <Schema extends z.ZodType<AuditFilter>>(schema: Schema): Schema =>
  schema.refine(({ from, to }) => !from || !to || from.from < to.to, {
    path: ['from'],
    message: 'must not be later than `to`',
  });

export const auditEntriesOfPage = 50;
export const maxAuditEntries = 200;

export const listAudit = endpoint({
  id: 'listAudit',
  method: 'GET',
  path: '/admin/audit',
  summary: 'What administrators, operators and the broker decided, the newest first, by pages in both directions',
  access: 'admin',
  weight: 10,
  query: inOrder(
    auditFilterSchema.extend({
      limit: z.coerce.number().int().min(1).max(maxAuditEntries).default(auditEntriesOfPage),
      /** A page's `older` or `newer`. */
      cursor: numberedCursorSchema.optional(),
      /** The page on this side of the cursor. */
      side: z.enum(['older', 'newer']).default('older'),
    }),
  ),
  answer: z.object({
    success: z.literal(true),
    entries: z.array(auditEntrySchema).max(maxAuditEntries),
    /** The cursors of the pages beside this one; null where there is none. */
    newer: z.string().nullable(),
    older: z.string().nullable(),
  }),
  errors: ['invalid_request', ...adminErrors],
});

/** Rows of one file. */
export const maxAuditFileRows = 100_000;

const ofFile = {
  method: 'GET',
  access: 'admin',
  weight: 50,
  query: inOrder(auditFilterSchema),
  answer: z.string(),
  errors: ['too_many_downloads', 'invalid_request', ...adminErrors],
} as const;

export const getAuditCsv = endpoint({
  ...ofFile,
  id: 'getAuditCsv',
  path: '/admin/audit.csv',
  summary: 'The audit log as a table, the newest first, at most 100,000 rows. The log gets a row about it',
  mediaType: 'text/csv',
});

export const getAuditLines = endpoint({
  ...ofFile,
  id: 'getAuditLines',
  path: '/admin/audit.jsonl',
  summary: 'The audit log as JSON, a row a line, the newest first, at most 100,000 rows. The log gets a row about it',
  mediaType: 'application/x-ndjson',
});

export const adminAuditEndpoints = [listAudit, getAuditCsv, getAuditLines] as const;
