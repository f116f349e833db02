import { z } from 'zod';
import { exportMyData } from '../account.ts';
import { adminErrors, adminReason, adminUserSchema } from './users.ts';
import { disputeSchema, transactionSchema } from '../billing/billing-history.ts';
import { connectedAppSchema, webSessionSchema } from '../connected-apps.ts';
import { endpoint } from '../endpoint.ts';
import { personalTokenSchema } from '../identity.ts';
import { lineOrNone } from '../manifest/manifest-basics.ts';
import { cursorSchema, numberedCursorSchema } from '../times.ts';
import { keptFilesSchema } from '../upstreams.ts';
import { callFilter, callSchema } from '../usage.ts';

// One person's page, for administrators. What a person is and has; never a secret, and never arguments or results of calls.

const isoTime = z.iso.datetime();
const ofUser = z.object({ id: z.string().max(100) });
const success = z.literal(true);

export const maxRowsOfPerson = 200;
const page = {
  limit: z.coerce.number().int().min(1).max(maxRowsOfPerson).default(50),
  /** nextCursor of the page before. */
  cursor: cursorSchema.optional(),
};
/** null on the last page. */
const nextCursor = z.string().nullable();

export const getPerson = endpoint({
  id: 'getPerson',
  method: 'GET',
  path: '/admin/users/:id',
  summary: 'One user: who they are, how they sign in, and when they were seen last',
  access: 'admin',
  params: ofUser,
  answer: z.object({
    success,
    user: adminUserSchema,
    /** The last sign-in, or the last use of an app, a browser or a token. */
    lastSeenAt: isoTime.nullable(),
  }),
  errors: ['not_found', ...adminErrors],
});

export const ledgerKindSchema = z.enum([
  'plan',
  'promotional',
  'purchased',
  'usage',
  'expiry',
  'refund',
  'dispute',
  'adjustment',
]);
export type LedgerKind = z.infer<typeof ledgerKindSchema>;

const ledgerEntrySchema = z.object({
  id: z.string(),
  at: isoTime,
  /** Credits: above 0 they came, below 0 they went. */
  change: z.int(),
  /** The balance less what was owed. */
  balanceAfter: z.int(),
  kind: ledgerKindSchema,
  reason: z.string().nullable(),
  /** How many calls it charged; listLedgerCalls has them. */
  calls: z.int(),
  /** The payment that brought the credits, or whose refund took them back. */
  payment: z.object({ id: z.string(), description: z.string() }).nullable(),
});
export type LedgerEntry = z.infer<typeof ledgerEntrySchema>;

export const listPersonLedger = endpoint({
  id: 'listPersonLedger',
  method: 'GET',
  path: '/admin/users/:id/ledger',
  summary: "A user's credits as they came and went, newest first, and what the balance is made of",
  access: 'admin',
  params: ofUser,
  query: z.object({
    limit: page.limit,
    cursor: numberedCursorSchema.optional(),
    /** changes: everything but what calls cost. */
    show: z.enum(['all', 'changes']).default('all'),
  }),
  answer: z.object({
    success,
    credits: z.object({
      balance: z.int(),
      /** The parts of the balance by where they come from, and what of it calls under way hold. */
      plan: z.int(),
      purchased: z.int(),
      promotional: z.int(),
      held: z.int(),
      debt: z.int(),
    }),
    entries: z.array(ledgerEntrySchema).max(maxRowsOfPerson),
    nextCursor,
  }),
  errors: ['invalid_request', 'not_found', ...adminErrors],
});

/** A settlement charges at most so many calls with one entry. */
const maxCallsOfEntry = 512;

export const listLedgerCalls = endpoint({
  id: 'listLedgerCalls',
  method: 'GET',
  path: '/admin/users/:id/ledger/:entryId/calls',
  summary: 'The calls that one entry of the ledger charged; those that are older than the log of calls are not there',
  access: 'admin',
  params: ofUser.extend({ entryId: z.string().regex(/^[0-9]{1,15}$/, 'is not an entry of the ledger') }),
  answer: z.object({ success, calls: z.array(callSchema).max(maxCallsOfEntry) }),
  errors: ['invalid_request', 'not_found', ...adminErrors],
});

const paymentSchema = transactionSchema.extend({
  /** null: no money of it can go back from here. */
  refund: z
    .object({
      /** Minor units that went back, and that are on their way back. */
      refundedCents: z.int(),
      pendingCents: z.int(),
      /** What can still go back; 0 while the bank has it because of a dispute. */
      leftCents: z.int(),
    })
    .nullable(),
  /** `dueBy`: until when it takes an answer, at the payment provider. */
  dispute: disputeSchema.extend({ dueBy: isoTime.nullable() }).nullable(),
});
export type PersonPayment = z.infer<typeof paymentSchema>;

export const listPersonPayments = endpoint({
  id: 'listPersonPayments',
  method: 'GET',
  path: '/admin/users/:id/payments',
  summary: "A user's payments and refunds, newest first, with what can be paid back of each",
  access: 'admin',
  params: ofUser,
  query: z.object({
    ...page,
    /** One payment, with its refunds. */
    payment: z.string().max(100).optional(),
  }),
  answer: z.object({ success, payments: z.array(paymentSchema).max(maxRowsOfPerson), nextCursor }),
  errors: ['invalid_request', 'not_found', ...adminErrors],
});

const ofPayment = ofUser.extend({ paymentId: z.string().max(100) });
const amountCents = z.int('must be a whole number of cents').min(1, 'must be above 0').max(1_000_000_000_000);
const refundErrors = ['invalid_request', 'not_found', 'payments_off', 'refund_impossible', 'refund_too_high'] as const;

export const previewRefund = endpoint({
  id: 'previewRefund',
  method: 'GET',
  path: '/admin/users/:id/payments/:paymentId/refund',
  summary: 'What a refund of a payment would take back of its credits; changes nothing',
  access: 'admin',
  params: ofPayment,
  query: z.object({ amountCents: z.coerce.number().pipe(amountCents) }),
  answer: z.object({
    success,
    amountCents: z.int(),
    currency: z.string(),
    credits: z.object({
      /** What the payment brought. */
      granted: z.int(),
      /** Of these, what this refund takes back. */
      taken: z.int(),
      /** The part of `taken` that is spent or in use: it is owed, and the next credits repay it. */
      owed: z.int(),
    }),
    /** What the payment is for goes on after its refund. */
    runs: z.enum(['plan', 'rental']).nullable(),
  }),
  errors: [...refundErrors, ...adminErrors],
});

export const refundPayment = endpoint({
  id: 'refundPayment',
  method: 'POST',
  path: '/admin/users/:id/payments/:paymentId/refund',
  summary:
    'Pays a payment back, in part or whole: the payment provider is asked, and the credits follow its event. Asks for a sign-in of the last 15 minutes',
  access: 'admin',
  params: ofPayment,
  body: z.strictObject({
    amountCents,
    /** What had gone back, and was on its way, when the administrator looked: refused where it is more by now. */
    refundedCents: z.int().min(0),
    reason: lineOrNone(500).min(1, 'must say why'),
  }),
  answer: z.object({
    success,
    /**
     * pending: the payment provider did not answer, and is asked again by itself. failed: it refused, as while the payment is
     * disputed.
     */
    result: z.enum(['refunded', 'pending', 'failed']),
    amountCents: z.int(),
    currency: z.string(),
    /** Why the provider refused. */
    error: z.string().nullable(),
  }),
  errors: [...refundErrors, 'changed_since_shown', 'sign_in_again', ...adminErrors],
});

export const listPersonCalls = endpoint({
  id: 'listPersonCalls',
  method: 'GET',
  path: '/admin/users/:id/calls',
  summary: "A user's calls, newest first, without arguments and results",
  access: 'admin',
  params: ofUser,
  query: callFilter.extend(page),
  answer: z.object({ success, calls: z.array(callSchema).max(maxRowsOfPerson), nextCursor }),
  errors: ['invalid_request', 'not_found', ...adminErrors],
});

export const listPersonConnections = endpoint({
  id: 'listPersonConnections',
  method: 'GET',
  path: '/admin/users/:id/connections',
  summary: "A user's connected apps, browsers and personal access tokens: names, never values",
  access: 'admin',
  params: ofUser,
  answer: z.object({
    success,
    /** The newest 200. */
    apps: z.array(connectedAppSchema).max(maxRowsOfPerson),
    webSessions: z.array(webSessionSchema).max(maxRowsOfPerson),
    tokens: z.array(personalTokenSchema).max(maxRowsOfPerson),
  }),
  errors: ['not_found', ...adminErrors],
});

const endedAccess = {
  body: z.strictObject({ reason: adminReason }),
  answer: z.object({ success }),
  errors: ['invalid_request', 'not_found', ...adminErrors],
} as const;

export const disconnectPersonApp = endpoint({
  id: 'disconnectPersonApp',
  method: 'DELETE',
  path: '/admin/users/:id/apps/:appId',
  summary: 'Disconnects an app of a user, or signs out one of their browsers: its tokens stop working immediately',
  access: 'admin',
  params: ofUser.extend({ appId: z.string().max(200) }),
  ...endedAccess,
});

export const revokePersonToken = endpoint({
  id: 'revokePersonToken',
  method: 'DELETE',
  path: '/admin/users/:id/tokens/:tokenId',
  summary: 'Revokes a personal access token of a user: it stops working immediately',
  access: 'admin',
  params: ofUser.extend({ tokenId: z.string().max(100) }),
  ...endedAccess,
});

export const listPersonFiles = endpoint({
  id: 'listPersonFiles',
  method: 'GET',
  path: '/admin/users/:id/program-files',
  summary: 'The files that programs keep for a user, by service',
  access: 'admin',
  params: ofUser,
  answer: z.object({ success, files: keptFilesSchema }),
  errors: ['not_found', ...adminErrors],
});

export const signInOutcomeSchema = z.enum(['signed_in', 'deactivated', 'not_allowed', 'other_account', 'not_asked']);
export type SignInOutcome = z.infer<typeof signInOutcomeSchema>;

export const listPersonSignIns = endpoint({
  id: 'listPersonSignIns',
  method: 'GET',
  path: '/admin/users/:id/sign-ins',
  summary: "A user's sign-ins of the last 90 days, newest first, those that were refused too",
  access: 'admin',
  params: ofUser,
  query: z.object(page),
  answer: z.object({
    success,
    signIns: z
      .array(
        z.object({
          id: z.string(),
          at: isoTime,
          /** google, oidc or dev. */
          provider: z.string(),
          /** The network address that it came from. */
          address: z.string().nullable(),
          /** Such as "Chrome on Linux". */
          browserName: z.string().nullable(),
          outcome: signInOutcomeSchema,
        }),
      )
      .max(maxRowsOfPerson),
    nextCursor,
  }),
  errors: ['invalid_request', 'not_found', ...adminErrors],
});

export const signOutPerson = endpoint({
  id: 'signOutPerson',
  method: 'POST',
  path: '/admin/users/:id/sign-out',
  summary:
    'Signs a user out of every browser and disconnects their apps; personal access tokens are revoked where it is asked for',
  access: 'admin',
  params: ofUser,
  body: z.strictObject({ reason: adminReason, revokeTokens: z.boolean().default(false) }),
  answer: z.object({ success, browsers: z.int(), apps: z.int(), tokens: z.int() }),
  errors: ['invalid_request', 'not_found', 'own_account', 'sign_in_again', ...adminErrors],
});

export const exportPerson = endpoint({
  id: 'exportPerson',
  method: 'POST',
  path: '/admin/users/:id/export',
  summary: "A user's data as their own export has it, as a file; the audit log keeps who took it and why",
  access: 'admin',
  weight: 100,
  params: ofUser,
  body: z.strictObject({ reason: adminReason }),
  answer: exportMyData.answer,
  errors: ['invalid_request', 'not_found', 'too_many_downloads', 'sign_in_again', ...adminErrors],
});

export const adminPersonEndpoints = [
  getPerson,
  listPersonLedger,
  listLedgerCalls,
  listPersonPayments,
  previewRefund,
  refundPayment,
  listPersonCalls,
  listPersonConnections,
  disconnectPersonApp,
  revokePersonToken,
  listPersonFiles,
  listPersonSignIns,
  signOutPerson,
  exportPerson,
] as const;
