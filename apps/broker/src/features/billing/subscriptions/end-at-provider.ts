import type { PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import type { SyncSubscription } from './sync-subscription.ts';

/**
 * Cancels a subscription at the payment provider now, where it is not over there, and reads it again. Nothing is paid back, and
 * nothing more is collected.
 * @returns whether it was cancelled by this
 * @throws SoukError payments_unavailable
 */
export async function endAtProvider(
  { provider, sync }: { provider: PaymentProvider; sync: SyncSubscription },
  paymentId: string,
): Promise<boolean> {
  const found = await provider.find((stripe) => stripe.subscriptions.retrieve(paymentId));
  const isRunning = found !== undefined && found.status !== 'canceled';
  if (isRunning) await provider.call((stripe) => stripe.subscriptions.cancel(paymentId));
  await sync(paymentId);
  return isRunning;
}
