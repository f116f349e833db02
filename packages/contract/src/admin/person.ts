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

// A user's page for administrators. It never shows secrets, or arguments and results of calls.

const isoTime = z.iso.datetime();
const ofUser = z.object({ id: z.string().max(100) });
const success = z.literal(true);

export const maxRowsPerPage = 200;
const page = {
  limit: z.coerce.number().int().min(1).max(maxRowsPerPage).default(50),
  /** nextCursor of the previous page. */
  cursor: cursorSchema.optional(),
};
/** null on the last page. */
const nextCursor = z.string().nullable();

export const getPerson = endpoint({
  id: 'getPerson',
  method: 'GET',
  path: '/admin/users/:id',
  summary: "Returns a user's profile, sign-in provider and last activity",
  access: 'admin',
  params: ofUser,
  answer: z.object({
    success,
    user: adminUserSchema,
    /** Last sign-in, or last use of an app, browser or token. */
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
  /** Credits: positive if added, negative if removed. */
  change: z.int(),
  /** Balance minus debt. */
  balanceAfter: z.int(),
  kind: ledgerKindSchema,
  reason: z.string().nullable(),
  /** Number of calls that it charged; listLedgerCalls returns them. */
  calls: z.int(),
  /** Payment that granted the credits, or whose refund clawed them back. */
  payment: z.object({ id: z.string(), description: z.string() }).nullable(),
});
export type LedgerEntry = z.infer<typeof ledgerEntrySchema>;

export const listPersonLedger = endpoint({
  id: 'listPersonLedger',
  method: 'GET',
  path: '/admin/users/:id/ledger',
  summary: "Lists a user's credit changes, newest first, and the composition of the balance",
  access: 'admin',
  params: ofUser,
  query: z.object({
    limit: page.limit,
    cursor: numberedCursorSchema.optional(),
    /** changes: without charges for calls. */
    show: z.enum(['all', 'changes']).default('all'),
  }),
  answer: z.object({
    success,
    credits: z.object({
      balance: z.int(),
      /** Balance by source of the credits, and the part reserved by running calls. */
      plan: z.int(),
      purchased: z.int(),
      promotional: z.int(),
      held: z.int(),
      debt: z.int(),
    }),
    entries: z.array(ledgerEntrySchema).max(maxRowsPerPage),
    nextCursor,
  }),
  errors: ['invalid_request', 'not_found', ...adminErrors],
});

/** Calls that one settlement charges in one entry. */
const maxCallsPerEntry = 512;

export const listLedgerCalls = endpoint({
  id: 'listLedgerCalls',
  method: 'GET',
  path: '/admin/users/:id/ledger/:entryId/calls',
  summary: 'Lists the calls that one ledger entry charged; calls older than the call log are missing',
  access: 'admin',
  params: ofUser.extend({ entryId: z.string().regex(/^[0-9]{1,15}$/, 'is not an entry of the ledger') }),
  answer: z.object({ success, calls: z.array(callSchema).max(maxCallsPerEntry) }),
  errors: ['invalid_request', 'not_found', ...adminErrors],
});

const paymentSchema = transactionSchema.extend({
  /** null: it cannot be refunded from here. */
  refund: z
    .object({
      /** Minor units: refunded, and refunds in progress. */
      refundedCents: z.int(),
      pendingCents: z.int(),
      /** Refundable amount; 0 while the bank holds the money because of a dispute. */
      leftCents: z.int(),
    })
    .nullable(),
  /** `dueBy`: the payment provider's deadline for a response. */
  dispute: disputeSchema.extend({ dueBy: isoTime.nullable() }).nullable(),
});
export type PersonPayment = z.infer<typeof paymentSchema>;

export const listPersonPayments = endpoint({
  id: 'listPersonPayments',
  method: 'GET',
  path: '/admin/users/:id/payments',
  summary: "Lists a user's payments and refunds, newest first, with the refundable amount of each",
  access: 'admin',
  params: ofUser,
  query: z.object({
    ...page,
    /** Only this payment and its refunds. */
    payment: z.string().max(100).optional(),
  }),
  answer: z.object({ success, payments: z.array(paymentSchema).max(maxRowsPerPage), nextCursor }),
  errors: ['invalid_request', 'not_found', ...adminErrors],
});

const ofPayment = ofUser.extend({ paymentId: z.string().max(100) });
const amountCents = z.int('must be a whole number of cents').min(1, 'must be above 0').max(1_000_000_000_000);
const refundErrors = ['invalid_request', 'not_found', 'payments_off', 'refund_impossible', 'refund_too_high'] as const;

export const previewRefund = endpoint({
  id: 'previewRefund',
  method: 'GET',
  path: '/admin/users/:id/payments/:paymentId/refund',
  summary: 'Shows which credits a refund would claw back; changes nothing',
  access: 'admin',
  params: ofPayment,
  query: z.object({ amountCents: z.coerce.number().pipe(amountCents) }),
  answer: z.object({
    success,
    amountCents: z.int(),
    currency: z.string(),
    credits: z.object({
      /** Credits granted by the payment. */
      granted: z.int(),
      /** Credits that this refund claws back. */
      taken: z.int(),
      /** Part of `taken` that is spent or reserved: it becomes debt, which the next credits repay. */
      owed: z.int(),
    }),
    /** Plan or rental that continues after the refund of its payment. */
    runs: z.enum(['plan', 'rental']).nullable(),
  }),
  errors: [...refundErrors, ...adminErrors],
});

export const refundPayment = endpoint({
  id: 'refundPayment',
  method: 'POST',
  path: '/admin/users/:id/payments/:paymentId/refund',
  summary:
    'Refunds a payment in part or in full: the payment provider is asked, and credits follow its event. Requires a sign-in within the last 15 minutes',
  access: 'admin',
  params: ofPayment,
  body: z.strictObject({
    amountCents,
    /** Amount refunded or in progress when the administrator looked; the call is refused if it has grown. */
    refundedCents: z.int().min(0),
    reason: lineOrNone(500).min(1, 'must say why'),
  }),
  answer: z.object({
    success,
    /**
     * pending: the payment provider did not respond; we retry automatically. failed: it refused, for example because of a
     * dispute.
     */
    result: z.enum(['refunded', 'pending', 'failed']),
    amountCents: z.int(),
    currency: z.string(),
    /** Provider's reason for refusing. */
    error: z.string().nullable(),
  }),
  errors: [...refundErrors, 'changed_since_shown', 'sign_in_again', ...adminErrors],
});

export const listPersonCalls = endpoint({
  id: 'listPersonCalls',
  method: 'GET',
  path: '/admin/users/:id/calls',
  summary: "Lists a user's calls, newest first, without arguments and results",
  access: 'admin',
  params: ofUser,
  query: callFilter.extend(page),
  answer: z.object({ success, calls: z.array(callSchema).max(maxRowsPerPage), nextCursor }),
  errors: ['invalid_request', 'not_found', ...adminErrors],
});

export const listPersonConnections = endpoint({
  id: 'listPersonConnections',
  method: 'GET',
  path: '/admin/users/:id/connections',
  summary: "Lists a user's connected apps, browsers and personal access tokens: names, never values",
  access: 'admin',
  params: ofUser,
  answer: z.object({
    success,
    /** Newest first, at most 200. */
    apps: z.array(connectedAppSchema).max(maxRowsPerPage),
    webSessions: z.array(webSessionSchema).max(maxRowsPerPage),
    tokens: z.array(personalTokenSchema).max(maxRowsPerPage),
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
  summary: "Disconnects a user's app or signs out one of their browsers: its tokens stop working immediately",
  access: 'admin',
  params: ofUser.extend({ appId: z.string().max(200) }),
  ...endedAccess,
});

export const revokePersonToken = endpoint({
  id: 'revokePersonToken',
  method: 'DELETE',
  path: '/admin/users/:id/tokens/:tokenId',
  summary: "Revokes a user's personal access token: it stops working immediately",
  access: 'admin',
  params: ofUser.extend({ tokenId: z.string().max(100) }),
  ...endedAccess,
});

export const listPersonFiles = endpoint({
  id: 'listPersonFiles',
  method: 'GET',
  path: '/admin/users/:id/program-files',
  summary: 'Lists the files that programs store for a user, by service',
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
  summary: "Lists a user's sign-ins in the last 90 days, newest first, including refused ones",
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
          /** Network address of the browser. */
          address: z.string().nullable(),
          /** For example "Chrome on Linux". */
          browserName: z.string().nullable(),
          outcome: signInOutcomeSchema,
        }),
      )
      .max(maxRowsPerPage),
    nextCursor,
  }),
  errors: ['invalid_request', 'not_found', ...adminErrors],
});

export const signOutPerson = endpoint({
  id: 'signOutPerson',
  method: 'POST',
  path: '/admin/users/:id/sign-out',
  summary: 'Signs a user out of every browser and disconnects their apps; revokes personal access tokens on request',
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
  summary: "Downloads a user's data, identical to their own export; the audit log records who did so and why",
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
