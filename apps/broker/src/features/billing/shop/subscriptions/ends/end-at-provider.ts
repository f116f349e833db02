import type { Stripe } from 'stripe';
import { isRefusal, type PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import type { PurchaseLock } from '../../changes/purchase-locks.ts';

/** What the provider keeps of an end by us of what was not paid. Whoever reads the subscription sees why it ended. */
export const endedUnpaid = 'Not paid, ended by Souk';

type Sync = (paymentId: string, lock?: PurchaseLock) => Promise<unknown>;

/**
 * Cancels a subscription at the payment provider now, where it is not over there, and reads it again. Nothing is paid back, and
 * nothing more is collected.
 * @param options.isUnpaid what is paid of it for a later time at this moment goes back
 * @returns whether it was cancelled by this
 * @throws SoukError payments_unavailable
 */
export async function endAtProvider(
  { provider, sync }: { provider: PaymentProvider; sync: Sync },
  paymentId: string,
  { lock, isUnpaid = false }: { lock?: PurchaseLock | undefined; isUnpaid?: boolean } = {},
): Promise<boolean> {
  await lock?.confirm();
  const { isEnded } = await cancelAtProvider(provider, paymentId, isUnpaid ? endedUnpaid : undefined);
  await sync(paymentId, lock);
  return isEnded;
}

/**
 * Cancels a subscription at the payment provider now, where it is not over there. The provider refuses to cancel one twice: who
 * comes second, at the same moment, finds what they wanted.
 * @param comment why, which the provider keeps
 * @returns what it was before; undefined where the provider does not know it
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
    // no invoice and no proration: what goes back is decided elsewhere
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
