import type { Stripe } from 'stripe';
import { isRefusal, type PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import type { PurchaseLock } from '../../changes/purchase-locks.ts';
import type { ShopParts } from '../../shop-parts.ts';

/** Comment at the provider when we end an unpaid subscription: each later reading sees why it ended. */
export const endedUnpaid = 'Not paid, ended by Souk';

/**
 * Cancels a subscription at the payment provider now, unless it is over there, and refetches it. Nothing is refunded, and
 * nothing more is collected.
 * @param options.isUnpaid a payment for a later time that arrives right now is refunded
 * @returns whether this call cancelled it
 * @throws SoukError payments_unavailable
 */
export async function endAtProvider(
  { provider, sync }: Pick<ShopParts, 'provider' | 'sync'>,
  providerSubscriptionId: string,
  { lock, isUnpaid = false }: { lock?: PurchaseLock | undefined; isUnpaid?: boolean } = {},
): Promise<boolean> {
  await lock?.confirm();
  const { isEnded } = await cancelAtProvider(provider, providerSubscriptionId, isUnpaid ? endedUnpaid : undefined);
  await sync(providerSubscriptionId, lock);
  return isEnded;
}

/**
 * Cancels a subscription at the payment provider now, unless it is over there. The provider refuses to cancel twice: of two
 * concurrent calls, the second one finds it cancelled.
 * @param comment the reason, which the provider stores
 * @returns the subscription as it was before; undefined where the provider does not know it
 */
export async function cancelAtProvider(
  provider: PaymentProvider,
  id: string,
  comment?: string,
): Promise<{ found: Stripe.Subscription | undefined; isEnded: boolean }> {
  const read = () => provider.find((stripe) => stripe.subscriptions.retrieve(id));
  const found = await read();
  if (!found || isOver(found)) return { found, isEnded: false };
  try {
    // no invoice and no proration: refunds are decided elsewhere
    await provider.call((stripe) =>
      stripe.subscriptions.cancel(id, comment === undefined ? {} : { cancellation_details: { comment } }),
    );
    return { found, isEnded: true };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const now = await read();
    if (now && !isOver(now)) throw error;
    return { found, isEnded: false };
  }
}

const isOver = ({ status }: Stripe.Subscription) => status === 'canceled' || status === 'incomplete_expired';
