import { isRefusal } from '#adapters/stripe/stripe-client.ts';
import { isChangeUnderWay, type PurchaseLock } from '../../changes/purchase-locks.ts';
import type { ShopParts } from '../../shop-parts.ts';

/**
 * Works on subscriptions sequentially, each under the lock of its user's purchases. A refusal of the provider is logged and
 * does not stop the others; the next run comes back to a user with another change under way.
 * @param refusal text for the log
 * @throws SoukError payments_unavailable: the next run continues
 */
export async function forEachSubscription(
  { locks, log }: Pick<ShopParts, 'locks' | 'log'>,
  paymentIds: readonly string[],
  refusal: string,
  work: (paymentId: string, lock: PurchaseLock | undefined) => Promise<void>,
): Promise<void> {
  for (const paymentId of paymentIds) {
    try {
      await locks.runFor(paymentId, (lock) => work(paymentId, lock));
    } catch (error) {
      if (isChangeUnderWay(error)) continue;
      if (!isRefusal(error)) throw error;
      log.error({ err: error, subscription: paymentId }, refusal);
    }
  }
}
