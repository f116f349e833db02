import { isRefusal } from '#adapters/stripe/stripe-client.ts';
import { isChangeUnderWay, type PurchaseLock } from '../../changes/purchase-locks.ts';
import type { ShopParts } from '../../shop-parts.ts';

/**
 * Works on subscriptions sequentially, each under the lock of its user's purchases. A refusal of the provider is logged and
 * does not stop the others; the next run retries a user with another change under way.
 * @param refusal text for the log
 * @throws SoukError payments_unavailable: the next run continues
 */
export async function forEachSubscription(
  { locks, log }: Pick<ShopParts, 'locks' | 'log'>,
  providerSubscriptionIds: readonly string[],
  refusal: string,
  work: (providerSubscriptionId: string, lock: PurchaseLock | undefined) => Promise<void>,
): Promise<void> {
  for (const providerSubscriptionId of providerSubscriptionIds) {
    try {
      await locks.runFor(providerSubscriptionId, (lock) => work(providerSubscriptionId, lock));
    } catch (error) {
      if (isChangeUnderWay(error)) continue;
      if (!isRefusal(error)) throw error;
      log.error({ err: error, subscription: providerSubscriptionId }, refusal);
    }
  }
}
