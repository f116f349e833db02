import type { Stripe } from 'stripe';
import { isRefusal, type PaymentProvider } from '#adapters/stripe/stripe-client.ts';

/**
 * Cancels a subscription at the payment provider now, where it is not over there, and reads it again. Nothing is paid back, and
 * nothing more is collected.
 * @returns whether it was cancelled by this
 * @throws SoukError payments_unavailable
 */
export async function endAtProvider(
  { provider, sync }: { provider: PaymentProvider; sync(paymentId: string): Promise<unknown> },
  paymentId: string,
): Promise<boolean> {
  const { isEnded } = await cancelAtProvider(provider, paymentId);
  await sync(paymentId);
  return isEnded;
}

/**
 * Cancels a subscription at the payment provider now, where it is not over there. The provider refuses to cancel one twice: who
 * comes second, at the same moment, finds what they wanted.
 * @returns what it was before; undefined where the provider does not know it
 */
export async function cancelAtProvider(
  provider: PaymentProvider,
  id: string,
): Promise<{ found: Stripe.Subscription | undefined; isEnded: boolean }> {
  const read = () => provider.find((stripe) => stripe.subscriptions.retrieve(id));
  const found = await read();
  if (!found || isOver(found)) return { found, isEnded: false };
  try {
    // no invoice and no proration: what goes back is decided elsewhere
    await provider.call((stripe) => stripe.subscriptions.cancel(id));
    return { found, isEnded: true };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const now = await read();
    if (now && !isOver(now)) throw error;
    return { found, isEnded: false };
  }
}

const isOver = ({ status }: Stripe.Subscription) => status === 'canceled' || status === 'incomplete_expired';
