import { isRefusal, type PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import type { Query } from '#platform/db/database.ts';
import type { Log } from '#platform/log.ts';
import { changeName, findChange, priceWithout } from '../changes/plan-change-store.ts';
import type { PurchaseLock } from '../changes/purchase-locks.ts';
import type { ProviderSubscription } from './reading/read-subscription.ts';

/**
 * Takes back a change of a plan that the provider made although another one took its place, as of a broker that was frozen: the price
 * that the subscription had, without proration. What was paid for the change goes back (return-owed.ts).
 * @returns whether the subscription was changed
 * @throws SoukError payments_unavailable: the next reading finds it again
 */
export async function setRight(
  { query, provider, log }: { query: Query; provider: PaymentProvider; log: Log },
  { id, itemId, changeId = '' }: ProviderSubscription,
  lock: PurchaseLock,
): Promise<boolean> {
  const decision = await findChange(query, changeId);
  if (decision?.state !== 'dropped') return false;
  const price = await priceWithout(query, decision);
  await lock.confirm();
  try {
    await provider.call((stripe) =>
      stripe.subscriptions.update(
        id,
        { items: [{ id: itemId, price }], proration_behavior: 'none', metadata: { [changeName]: '' } },
        { idempotencyKey: `undo:${decision.id}` },
      ),
    );
    log.warn({ subscription: id, change: decision.id }, 'a change of a plan that came late was taken back');
    return true;
  } catch (error) {
    if (!isRefusal(error)) throw error;
    log.error({ err: error, subscription: id }, 'a change of a plan that came late could not be taken back');
    return false;
  }
}
