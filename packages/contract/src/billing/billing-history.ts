import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { daySchema } from '../times.ts';
import { totalsSchema } from './totals.ts';

const needSession = ['authentication_required', 'unauthenticated'] as const;
const isoTime = z.iso.datetime();
const ofUser = z.object({ userId: z.string() });

/** Rows per file, newest first. Older rows need a narrower period. */
export const maxCsvRows = 10_000;

export const transactionTypeSchema = z.enum([
  'credit_purchase',
  'subscription_create',
  'subscription_update',
  'subscription_cancel',
  'rental_create',
  'rental_cancel',
  'refund',
]);
export type TransactionType = z.infer<typeof transactionTypeSchema>;
export const transactionStatusSchema = z.enum(['pending', 'completed', 'failed', 'refunded']);
export type TransactionStatus = z.infer<typeof transactionStatusSchema>;

/**
 * A payment's dispute at the bank. inquiry: the bank asks, but has not taken the money. won: the payment stands. lost: the
 * bank returned the money to the payer.
 */
export const disputeSchema = z.object({
  state: z.enum(['inquiry', 'to-answer', 'under-review', 'won', 'lost']),
  /** Credits of the payment that were withdrawn: permanently if lost, returned if won. */
  credits: z.int(),
});

/** Spec part 1, section 3: "Billing transaction". */
export const transactionSchema = z.object({
  id: z.string(),
  status: transactionStatusSchema,
  type: transactionTypeSchema,
  description: z.string(),
  /** Service concerned; null for plans and credits. */
  mcpId: z.string().nullable(),
  /** Minor units, after discount and with tax; never negative, since type `refund` gives the direction. */
  amount: z.int(),
  currency: z.string(),
  /** Composition of the amount; absent without tax and discount. */
  totals: totalsSchema.optional(),
  createdAt: isoTime,
  /** Provider's invoice or receipt; null if there is none. */
  receiptUrl: z.string().nullable(),
  dispute: disputeSchema.nullable(),
});
export type Transaction = z.infer<typeof transactionSchema>;

export const getBillingDashboard = endpoint({
  id: 'getBillingDashboard',
  method: 'GET',
  path: '/v2/billing-history/user/:userId/dashboard',
  summary: "Returns the caller's total payments and their latest transactions",
  access: 'user',
  params: ofUser,
  answer: z.object({
    success: z.literal(true),
    data: z.object({
      /** Minor units: completed payments minus refunds. */
      totalSpent: z.int(),
      currency: z.string(),
      totalTransactions: z.int(),
      /** The newest ten. */
      recentTransactions: z.array(transactionSchema),
    }),
  }),
  errors: ['not_found', ...needSession],
});

const transactionFilter = z.object({
  /** `startDate` and `endDate` are both inclusive. */
  startDate: daySchema.optional(),
  endDate: daySchema.optional(),
  type: transactionTypeSchema.optional(),
  status: transactionStatusSchema.optional(),
});
const pageQuery = { page: z.coerce.number().int().min(1).max(100_000).default(1) };
export const paginationSchema = z.object({ page: z.int(), pageSize: z.int(), total: z.int(), pages: z.int() });

export const listTransactions = endpoint({
  id: 'listTransactions',
  method: 'GET',
  path: '/v2/billing-history/user/:userId/transactions',
  summary: "Lists the caller's payments and refunds, newest first",
  access: 'user',
  params: ofUser,
  query: transactionFilter.extend({ ...pageQuery, pageSize: z.coerce.number().int().min(1).max(100).default(20) }),
  answer: z.object({
    success: z.literal(true),
    data: z.object({ transactions: z.array(transactionSchema), pagination: paginationSchema }),
  }),
  errors: ['not_found', 'invalid_request', ...needSession],
});

export const getTransactionsCsv = endpoint({
  id: 'getTransactionsCsv',
  method: 'GET',
  path: '/v2/billing-history/user/:userId/transactions.csv',
  summary: "Downloads the caller's payments and refunds as CSV, newest first, at most 10,000; amounts in major units",
  access: 'user',
  weight: 50,
  params: ofUser,
  query: transactionFilter,
  mediaType: 'text/csv',
  answer: z.string(),
  errors: ['too_many_downloads', 'not_found', 'invalid_request', ...needSession],
});

/** Spec part 1 and 2, section 3: "Credit usage record" and "Usage history entry". */
export const creditUsageSchema = z.object({
  id: z.string(),
  mcpId: z.string().nullable(),
  toolName: z.string(),
  /** Credits. */
  amount: z.int(),
  timestamp: isoTime,
  /** Tokens as reported by the server; absent if it reported none. */
  metadata: z.object({ promptTokens: z.int().optional(), responseTokens: z.int().optional() }),
});
export type CreditUsage = z.infer<typeof creditUsageSchema>;

export const getCreditHistory = endpoint({
  id: 'getCreditHistory',
  method: 'GET',
  path: '/api/users/:userId/credit-history',
  summary: 'Lists the calls that cost the caller credits, newest first',
  access: 'user',
  params: ofUser,
  query: z.object({
    startDate: daySchema.optional(),
    endDate: daySchema.optional(),
    limit: z.coerce.number().int().min(1).max(1000).default(20),
    ...pageQuery,
  }),
  answer: z.object({
    success: z.literal(true),
    data: z.object({
      usage: z.array(creditUsageSchema),
      /** Counts at most 10,000 calls; older calls need a narrower period. */
      pagination: paginationSchema,
    }),
  }),
  errors: ['not_found', 'invalid_request', ...needSession],
});

export const getCreditHistoryCsv = endpoint({
  id: 'getCreditHistoryCsv',
  method: 'GET',
  path: '/api/users/:userId/credit-history.csv',
  summary: 'Downloads the calls that cost the caller credits as CSV, newest first, at most 10,000',
  access: 'user',
  weight: 50,
  params: ofUser,
  query: z.object({ startDate: daySchema.optional(), endDate: daySchema.optional() }),
  mediaType: 'text/csv',
  answer: z.string(),
  errors: ['too_many_downloads', 'not_found', 'invalid_request', ...needSession],
});

export const billingHistoryEndpoints = [
  getBillingDashboard,
  listTransactions,
  getTransactionsCsv,
  getCreditHistory,
  getCreditHistoryCsv,
] as const;
