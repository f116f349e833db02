import type { PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import type { CatalogueServer } from '#features/catalogue/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import type { Log } from '#platform/log.ts';
import type { PurchaseLock, PurchaseLocks } from '../../changes/purchase-locks.ts';
import type { Customers } from '../customers.ts';
import type { Order } from '../orders/order.ts';
import type { ProviderSession } from '../read-session.ts';

/** What became of a payment: our order, and what the provider says of it now. */
export type Payment = { order: Order; session: ProviderSession };

/**
 * Asks the provider what became of a payment and does what follows from it: gives what was paid for, once. Called by
 * webhook, result page and reconciler alike, as often as they like.
 * @param options.read what the provider has just answered about it: it is not asked again
 * @param options.lock of the buyer's purchases, where the caller has it
 * @returns undefined where the provider does not know the session, or it is not of an order of ours
 * @throws SoukError payments_unavailable, change_under_way: call again later
 */
export type Fulfil = (
  sessionId: string,
  options?: { read?: ProviderSession | undefined; lock?: PurchaseLock },
) => Promise<Payment | undefined>;

/**
 * Brings what we know of a subscription up to what the provider has, so that what was bought can be used when it resolves.
 * @param subscriptionId of the provider
 */
export type SyncSubscription = (subscriptionId: string, lock?: PurchaseLock) => Promise<unknown>;

export type FulfilGiven = {
  db: Database;
  provider: PaymentProvider;
  customers: Customers;
  syncSubscription: SyncSubscription;
  /** What the person had not paid for and has replaced with this order ends. */
  endReplaced(order: Order, lock: PurchaseLock): Promise<void>;
  locks: PurchaseLocks;
  findServer(id: string): CatalogueServer | undefined;
  /** Whether what was ordered is not there any more. */
  isGone(order: Order): Promise<boolean>;
  uuid: () => string;
  clock: Clock;
  log: Log;
};
