import { addUserSubscription, getUserBilling, removeUserSubscription } from '@souk/contract/admin/billing.ts';
import { listPersonPayments, refundPayment } from '@souk/contract/admin/person.ts';
import { z } from 'zod';

// the answers of `souk user show`, `give` and `remove`, `souk credits …` and `souk payments …`, as --json prints them

export const creditsSetSchema = z.object({ credits: z.int(), change: z.int() });
export type CreditsSet = z.output<typeof creditsSetSchema>;

export const creditsShownSchema = getUserBilling.answer.shape.billing.shape.credits;
export type CreditsShown = z.output<typeof creditsShownSchema>;

export const userShownSchema = getUserBilling.answer.omit({ success: true });
export type UserShown = z.output<typeof userShownSchema>;

export const givenSchema = addUserSubscription.answer.omit({ success: true });
export type Given = z.output<typeof givenSchema>;

export const removedSchema = removeUserSubscription.answer.omit({ success: true });
export type Removed = z.output<typeof removedSchema>;

/** Payments that wait for a decision of the operator. */
export const flaggedShownSchema = z.object({
  flagged: z.array(
    z.object({
      orderId: z.string(),
      userId: z.string(),
      description: z.string(),
      amount: z.int(),
      currency: z.string(),
      reason: z.string(),
      paymentIntentId: z.string().nullable(),
    }),
  ),
});
export type FlaggedShown = z.output<typeof flaggedShownSchema>;

export const paymentDecidedSchema = z.object({ orderId: z.string(), status: z.string() });
export type PaymentDecided = z.output<typeof paymentDecidedSchema>;

export const paymentsShownSchema = listPersonPayments.answer.omit({ success: true });
export type PaymentsShown = z.output<typeof paymentsShownSchema>;

export const paymentRefundedSchema = refundPayment.answer.omit({ success: true });
export type PaymentRefunded = z.output<typeof paymentRefundedSchema>;
