import type { ProviderSession } from '../read-session.ts';

/** What the provider says of the payment of a session, whatever our order says. */
export type PaymentState =
  /** Its page can be paid. */
  | 'open'
  | 'expired'
  /** A bank takes days to say whether it pays. */
  | 'processing'
  /** It did not pay; a subscription may still be paid, on the page of its invoice or with a retry. */
  | 'failed'
  /** The provider has the money. */
  | 'paid';

/** Of a subscription whose first payment is on its way. */
const waiting: ReadonlySet<string> = new Set(['active', 'trialing', 'incomplete']);

/** @param session with its invoice, payment intent and subscription (read-session.ts) */
export function paymentStateOf(session: ProviderSession): PaymentState {
  const { invoice, payment_intent: intent, subscription } = session;
  // a session says `unpaid` for ever where its first payment failed and was collected later, and nothing where the
  // customer's balance paid: the invoice knows
  if (session.payment_status === 'paid' || (typeof invoice === 'object' && invoice?.status === 'paid')) return 'paid';
  // a discount left nothing to pay of a single payment; of a subscription, its invoice says so
  const isForNothing = session.mode === 'payment' && session.payment_status === 'no_payment_required';
  if (session.status === 'complete' && isForNothing) return 'paid';
  if (session.status !== 'complete') return session.status === 'expired' ? 'expired' : 'open';
  if (typeof subscription === 'object' && subscription)
    return waiting.has(subscription.status) ? 'processing' : 'failed';
  if (typeof intent === 'object' && intent?.status === 'requires_payment_method') return 'failed';
  return typeof intent === 'object' && intent?.status === 'canceled' ? 'failed' : 'processing';
}
