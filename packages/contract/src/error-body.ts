import { z } from 'zod';

// What a client needs to read a failed answer: the first screen loads this, and not the whole catalogue.

/** Errors of the catalogue that a client gives itself: before a call, or for an answer without a message. */
export const clientErrors = {
  unauthenticated: { status: 401, message: 'Authentication failed. Please log in again.' },
  authentication_required: { status: 401, message: 'Authentication required. Please log in.' },
  forbidden: { status: 403, message: 'Access denied. Required permissions missing.' },
} as const;

/** The body of every failed REST call (clarifications, Errors). Only unexpected errors have a `requestId`. */
export const errorBodySchema = z.object({
  success: z.literal(false),
  code: z.string(),
  message: z.string(),
  requestId: z.string().optional(),
  /** Field problems of invalid_request and manifest_invalid. */
  issues: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  /** The personal-token calls carry the text here too (clarifications, Small questions). */
  error: z.string().optional(),
  /** What is stored now, where the code is changed_since_shown: it differs from what the caller was shown. */
  current: z
    .object({
      revision: z.string(),
      deployedVersion: z.string().nullable(),
      stagedVersion: z.string().nullable(),
      /** Who changed it last, and when. null: the operator's command, or the installation. */
      changedBy: z.string().nullable(),
      changedAt: z.iso.datetime().nullable(),
    })
    .optional(),
  /** Why a token is refused, where its bearer may know: an administrator deactivated their account. */
  reason: z.literal('account_deactivated').optional(),
  /** What a change of plan costs now, where the code is price_changed. Minor units: now, and each period from then on. */
  price: z.object({ amountDue: z.int(), nextAmount: z.int(), currency: z.string() }).optional(),
});
export type ErrorBody = z.infer<typeof errorBodySchema>;
