import { z } from 'zod';

// Parsing of failed responses. The first screen loads this instead of the whole error catalogue.

/** Errors that a client raises itself: before a call, or for a response without a message. */
export const clientErrors = {
  unauthenticated: { status: 401, message: 'Authentication failed. Please log in again.' },
  authentication_required: { status: 401, message: 'Authentication required. Please log in.' },
  forbidden: { status: 403, message: 'Access denied. Required permissions missing.' },
} as const;

/** Body of every failed REST call (clarifications, Errors). Only unexpected errors have a `requestId`. */
export const errorBodySchema = z.object({
  success: z.literal(false),
  code: z.string(),
  message: z.string(),
  requestId: z.string().optional(),
  /** Field problems of invalid_request and manifest_invalid. */
  issues: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  /** Repeats the text in the personal-token calls (clarifications, Small questions). */
  error: z.string().optional(),
  /** Stored state, if the code is changed_since_shown: it differs from what the caller was shown. */
  current: z
    .object({
      revision: z.string(),
      deployedVersion: z.string().nullable(),
      stagedVersion: z.string().nullable(),
      /** Last change. null: an operator command, or the installation. */
      changedBy: z.string().nullable(),
      changedAt: z.iso.datetime().nullable(),
    })
    .optional(),
  /** Reason for refusing a token that its bearer may know: an administrator deactivated the account. */
  reason: z.literal('account_deactivated').optional(),
  /** Current cost of a change of plan, if the code is price_changed. Minor units: now, and per period from then on. */
  price: z.object({ amountDue: z.int(), nextAmount: z.int(), currency: z.string() }).optional(),
});
export type ErrorBody = z.infer<typeof errorBodySchema>;
