import type { PurchaseLock } from '../../changes/purchase-locks.ts';
import type { ShopParts } from '../../shop-parts.ts';
import type { Customers } from '../customers.ts';
import type { Order } from '../orders/order.ts';
import type { ProviderSession } from '../read-session.ts';

/** The outcome of a payment: our order, and the provider's current answer. */
export type Payment = { order: Order; session: ProviderSession };

/**
 * Asks the provider about a payment and does what follows: delivers what was paid for, once. The webhook, the result page and
 * the reconciler call it, as often as they like.
 * @param options.read the provider's fresh answer, which saves a request
 * @param options.lock the lock of the buyer's purchases, where the caller has it
 * @returns undefined where the provider does not know the session, or it belongs to no order of ours
 * @throws SoukError payments_unavailable, change_under_way: call again later
 */
export type Fulfil = (
  sessionId: string,
  options?: { read?: ProviderSession | undefined; lock?: PurchaseLock },
) => Promise<Payment | undefined>;

export type FulfilParts = Pick<
  ShopParts,
  'db' | 'provider' | 'sync' | 'locks' | 'findServer' | 'uuid' | 'clock' | 'log'
> & {
  customers: Customers;
  endReplaced(order: Order, lock: PurchaseLock): Promise<void>;
  /** Whether the order is for the rental of a server that is not deployed any more. */
  isUndeployed(order: Order): Promise<boolean>;
};
