import { StripeError } from '../../api/stripe-error.ts';
import type { ChargeResult } from '../charge-card.ts';

/** Returns Stripe's error for a charge without its payer that was declined or needs authentication. */
export function refusalOf(
  result: Exclude<ChargeResult, 'paid' | 'processing'>,
  paid: 'invoice' | 'subscription',
  subject: string,
): StripeError {
  const { message, ...codes } =
    result === 'authenticates'
      ? {
          message: `${subject} requires additional user action before it can be completed successfully.`,
          code: `${paid}_payment_intent_requires_action`,
        }
      : { message: result.message, code: result.code, decline_code: result.declineCode };
  return new StripeError(402, message, codes, 'card_error');
}
