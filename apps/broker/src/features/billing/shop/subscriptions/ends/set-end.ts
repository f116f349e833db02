import type { Stripe } from 'stripe';
import { isRefusal, type PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import { dropOpenChanges } from '../../changes/plan-change-store.ts';
import type { PurchaseLock } from '../../changes/purchase-locks.ts';
import type { ShopParts } from '../../shop-parts.ts';
import { dropUpgrade } from '../drop-upgrade.ts';
import { setCollection } from './set-collection.ts';

/**
 * Cancels a subscription at the payment provider with the end of its paid period, or undoes that, and refetches it. Drops an
 * upgrade that waits for its payment first. Then a stored wish to end it (want-end.ts) is deleted.
 * @throws SoukError payments_unavailable; payment_refused where the subscription has changed at the provider: it is refetched
 *   then
 */
export async function setEnd(
  { db: { query }, provider, sync }: Pick<ShopParts, 'db' | 'provider' | 'sync'>,
  id: string,
  endsWithPeriod: boolean,
  lock: PurchaseLock | undefined,
): Promise<void> {
  try {
    if (endsWithPeriod) {
      await dropUpgrade(provider, id);
      // a change that the provider has not made yet would be paid for a plan that ends
      await dropOpenChanges(query, id);
    }
    const change = endsWithPeriod ? { cancel_at_period_end: true } : await resumption(provider, id);
    await lock?.confirm();
    await provider.call((stripe) => stripe.subscriptions.update(id, change));
    await setCollection(provider, id, endsWithPeriod ? 'stop' : 'resume');
  } catch (error) {
    if (isRefusal(error)) await sync(id, lock);
    throw error;
  }
  await query('update subscription_syncs set end_wanted = false where payment_id = $1 and end_wanted', [id]);
  await sync(id, lock);
}

/** A cancellation in the provider's portal sets a date, which has a parameter of its own. */
async function resumption(provider: PaymentProvider, id: string): Promise<Stripe.SubscriptionUpdateParams> {
  const found = await provider.find((stripe) => stripe.subscriptions.retrieve(id));
  const hasDate = found?.cancel_at && !found.cancel_at_period_end;
  return hasDate ? { cancel_at: '' } : { cancel_at_period_end: false };
}
