import { isRefusal, type PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import type { SyncSubscription } from './sync-subscription.ts';

/**
 * Ends a subscription at the payment provider with the period that is paid, or takes that back, and reads it again.
 * @throws SoukError payments_unavailable; what the provider refuses has changed there, and is read again too
 */
export async function setEnd(
  { provider, sync }: { provider: PaymentProvider; sync: SyncSubscription },
  paymentId: string,
  endsWithPeriod: boolean,
): Promise<void> {
  try {
    await provider.call((stripe) => stripe.subscriptions.update(paymentId, { cancel_at_period_end: endsWithPeriod }));
  } catch (error) {
    if (isRefusal(error)) await sync(paymentId);
    throw error;
  }
  await sync(paymentId);
}
