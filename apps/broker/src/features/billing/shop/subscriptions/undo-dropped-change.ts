import { isRefusal } from '#adapters/stripe/stripe-client.ts';
import { changeName, findChange, readPriceWithout } from '../changes/plan-change-store.ts';
import type { PurchaseLock } from '../changes/purchase-locks.ts';
import type { ShopParts } from '../shop-parts.ts';
import type { ProviderSubscription } from './reading/read-subscription.ts';

/**
 * Undoes a plan change that the provider made although another one replaced it, such as the change of a frozen broker: restores
 * the previous price, without proration. The payment for the change is refunded (return-owed.ts).
 * @returns whether the subscription was changed
 * @throws SoukError payments_unavailable: the next reading finds it again
 */
export async function undoDroppedChange(
  { db: { query }, provider, log }: Pick<ShopParts, 'db' | 'provider' | 'log'>,
  { id, itemId, changeId = '' }: ProviderSubscription,
  lock: PurchaseLock,
): Promise<boolean> {
  const decision = await findChange(query, changeId);
  if (decision?.state !== 'dropped') return false;
  const price = await readPriceWithout(query, decision);
  await lock.confirm();
  try {
    await provider.call((stripe) =>
      stripe.subscriptions.update(
        id,
        { items: [{ id: itemId, price }], proration_behavior: 'none', metadata: { [changeName]: '' } },
        { idempotencyKey: `undo:${decision.id}` },
      ),
    );
    log.warn({ subscription: id, change: decision.id }, 'a late change of a plan was undone');
    return true;
  } catch (error) {
    if (!isRefusal(error)) throw error;
    log.error({ err: error, subscription: id }, 'a late change of a plan could not be undone');
    return false;
  }
}
