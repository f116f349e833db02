import type { FastifyInstance } from 'fastify';
import type { PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import type { Catalogue } from '#features/catalogue/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import type { Log } from '#platform/log.ts';
import type { AccessBook } from './access/create-access.ts';
import { createCheckout, type Checkout } from './checkout/create-checkout.ts';
import type { OrderReport } from './checkout/reconcile-orders.ts';
import type { OfferStore } from './offers/offer-store.ts';
import type { Prices } from './prices/create-prices.ts';
import { createRefunds, type Refunds } from './refunds/create-refunds.ts';
import { createSubscriptions, type Subscriptions } from './subscriptions/create-subscriptions.ts';
import { createEventWorker, type EventWorker } from './webhook/event-worker.ts';
import { mountPaymentWebhook } from './webhook/webhook-route.ts';

/** What runs where something is sold. */
export type Payments = {
  readonly checkout: Checkout;
  readonly subscriptions: Subscriptions;
  readonly refunds: Refunds;
  readonly events: EventWorker;
  /** Where the provider tells what happened. */
  mountWebhook(server: FastifyInstance, path: string): void;
  /** Asks the provider about payments that we have heard nothing of. */
  reconcileOrders(): Promise<OrderReport>;
};

export function createPayments(given: {
  db: Database;
  provider: PaymentProvider;
  publicUrl: string;
  offers: OfferStore;
  /** Of the plans and packages. */
  currency: string | undefined;
  prices: Prices;
  access: AccessBook;
  catalogue: Pick<Catalogue, 'snapshot' | 'versions'>;
  emailOf(userId: string): Promise<string | undefined>;
  uuid: () => string;
  clock: Clock;
  log: Log;
}): Payments {
  const { db, provider, catalogue, clock, log } = given;
  const subscriptions = createSubscriptions(given);
  const checkout = createCheckout({
    ...given,
    findServer: (id) => catalogue.snapshot().byId.get(id),
    kinds: ['credits', 'rental', 'plan'],
    syncSubscription: subscriptions.sync,
  });
  const events = createEventWorker({
    query: db.query,
    handlers: { ...checkout.handlers, ...subscriptions.handlers },
    clock,
    log,
  });
  return {
    checkout,
    subscriptions,
    refunds: createRefunds({ ...given, endNow: subscriptions.endNow }),
    events,
    mountWebhook: (server, path) => mountPaymentWebhook(server, { path, provider, take: events.take, clock }),
    reconcileOrders: checkout.reconcile,
  };
}
