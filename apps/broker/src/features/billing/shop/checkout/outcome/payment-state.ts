import type { ProviderSession } from '../read-session.ts';

export type PaymentState =
  | 'open'
  | 'expired'
  /** The bank decides within days. */
  | 'processing'
  /** The payment failed; a subscription may still be paid, on the page of its invoice or with a retry. */
  | 'failed'
  | 'paid';

/** Statuses of a subscription whose first payment is in progress. */
const waiting: ReadonlySet<string> = new Set(['active', 'trialing', 'incomplete']);

/** @param session with its invoice, payment intent and subscription (read-session.ts) */
export function paymentStateOf(session: ProviderSession): PaymentState {
  const { invoice, payment_intent: intent, subscription } = session;
  // a session stays `unpaid` where its first payment failed and was collected later, and says nothing where the customer's
  // balance paid: the invoice is right
  if (session.payment_status === 'paid' || (typeof invoice === 'object' && invoice?.status === 'paid')) return 'paid';
  // a discount left nothing to pay; for a subscription, its invoice says so
  const isForNothing = session.mode === 'payment' && session.payment_status === 'no_payment_required';
  if (session.status === 'complete' && isForNothing) return 'paid';
  if (session.status !== 'complete') return session.status === 'expired' ? 'expired' : 'open';
  if (typeof subscription === 'object' && subscription)
    return waiting.has(subscription.status) ? 'processing' : 'failed';
  if (typeof intent === 'object' && intent?.status === 'requires_payment_method') return 'failed';
  return typeof intent === 'object' && intent?.status === 'canceled' ? 'failed' : 'processing';
}
