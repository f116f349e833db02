import type { PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import type { Catalogue, CatalogueServer } from '#features/catalogue/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import type { Log } from '#platform/log.ts';
import type { AccessBook } from '../entitlement/create-access.ts';
import type { PurchaseLock, PurchaseLocks } from './changes/purchase-locks.ts';
import type { OrderOptions } from './checkout/orders/order.ts';
import type { OfferStore } from './offers/offer-store.ts';
import type { Prices } from './prices/create-prices.ts';

/** Parts that the use cases of the shop are built from. Each takes those that it needs. */
export type ShopParts = {
  db: Database;
  provider: PaymentProvider;
  publicUrl: string;
  /** The provider's names of the payment methods that the shop takes. */
  paymentMethods: readonly string[];
  options: OrderOptions;
  offers: OfferStore;
  /** Currency of the plans and packages. */
  currency: string | undefined;
  prices: Prices;
  access: AccessBook;
  catalogue: Pick<Catalogue, 'snapshot' | 'versions' | 'onChange'>;
  findServer(id: string): CatalogueServer | undefined;
  emailOf(userId: string): Promise<string | undefined>;
  locks: PurchaseLocks;
  sync: SyncSubscription;
  uuid: () => string;
  clock: Clock;
  log: Log;
};

/**
 * Updates what we know of a subscription from the payment provider: the plan or rental, its credits and its history. Runs for
 * each event, at checkout, in the reconciler and after each change: repeatable, also on several brokers concurrently. Changes
 * at the provider that follow from it are made under the lock of the user's purchases, or by a job if another change has the
 * lock.
 * @param lock where the caller has it
 * @returns unknown: the product is ours, but no paid order that we know of is for it. changing: it is changing right now, and a
 *   job refetches it
 * @throws SoukError payments_unavailable: call again later
 */
export type SyncSubscription = (
  providerSubscriptionId: string,
  lock?: PurchaseLock,
) => Promise<'known' | 'unknown' | 'changing'>;
