import type { Stripe } from 'stripe';
import { isRefusal, type PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import type { Query } from '#platform/db/database.ts';
import { dropOpenChanges } from '../../changes/plan-change-store.ts';
import type { PurchaseLock } from '../../changes/purchase-locks.ts';
import { dropUpgrade } from '../drop-upgrade.ts';
import { stopCollecting } from './stop-collecting.ts';
import type { SyncSubscription } from '../sync-subscription.ts';

/**
 * Ends a subscription at the payment provider with the period that is paid, or takes that back, and reads it again. An upgrade
 * that waits for its payment is dropped first. An end that was wanted before (want-end.ts) is then no longer waited for.
 * @throws SoukError payments_unavailable; what the provider refuses has changed there, and is read again too
 */
export async function setEnd(
  { query, provider, sync }: { query: Query; provider: PaymentProvider; sync: SyncSubscription },
  paymentId: string,
  endsWithPeriod: boolean,
  lock: PurchaseLock | undefined,
): Promise<void> {
  try {
    if (endsWithPeriod) {
      await dropUpgrade(provider, paymentId);
      // one that the provider has not made yet would be paid for a plan that ends
      await dropOpenChanges(query, paymentId);
    }
    const change = endsWithPeriod ? { cancel_at_period_end: true } : await resumption(provider, paymentId);
    await lock?.confirm();
    await provider.call((stripe) => stripe.subscriptions.update(paymentId, change));
    await stopCollecting(provider, paymentId, endsWithPeriod ? 'stop' : 'go on');
  } catch (error) {
    if (isRefusal(error)) await sync(paymentId, lock);
    throw error;
  }
  await query('update subscription_syncs set end_wanted = false where payment_id = $1 and end_wanted', [paymentId]);
  await sync(paymentId, lock);
}

/** A cancellation in the provider's portal is a date of its own, which has a parameter of its own. */
async function resumption(provider: PaymentProvider, paymentId: string): Promise<Stripe.SubscriptionUpdateParams> {
  const found = await provider.find((stripe) => stripe.subscriptions.retrieve(paymentId));
  const hasDate = found?.cancel_at && !found.cancel_at_period_end;
  return hasDate ? { cancel_at: '' } : { cancel_at_period_end: false };
}
