import type { FastifyInstance } from 'fastify';
import type { PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import type { Catalogue, CatalogueServer } from '#features/catalogue/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import type { Log } from '#platform/log.ts';
import { createWorkLoop } from '#platform/work/work-loop.ts';
import type { AccessBook } from '../entitlement/create-access.ts';
import { createClearings, type Clearings } from './changes/clear-customers.ts';
import { createPurchaseLocks } from './changes/purchase-locks.ts';
import { createCheckout, type Checkout } from './checkout/create-checkout.ts';
import type { OrderOptions } from './checkout/orders/order.ts';
import { createWithdrawing } from './checkout/orders/withdrawing.ts';
import type { OrderReport } from './checkout/reconcile-orders.ts';
import type { OfferStore } from './offers/offer-store.ts';
import type { Prices } from './prices/create-prices.ts';
import { createMoves, type Moves } from './moves/create-moves.ts';
import { createRefunds, type Refunds } from './refunds/create-refunds.ts';
import { createSubscriptions, type Subscriptions } from './subscriptions/create-subscriptions.ts';
import { createEventWorker, type EventWorker } from './webhook/event-worker.ts';
import { mountPaymentWebhook } from './webhook/webhook-route.ts';

/** What runs where something is sold. */
export type Payments = {
  readonly checkout: Checkout;
  readonly subscriptions: Subscriptions;
  readonly refunds: Refunds;
  readonly moves: Moves;
  readonly clearings: Clearings;
  readonly events: EventWorker;
  /** Where the provider tells what happened. */
  mountWebhook(server: FastifyInstance, path: string, noteRefusal: (reason: string) => void): void;
  /** Ends pages that sell what is no longer offered, and asks the provider about payments that we have heard nothing of. */
  reconcileOrders(): Promise<OrderReport>;
  /** Looks through what the provider has for money that nothing came of here. Answers how many payments. */
  findMissed(): Promise<number>;
  /** Tells the provider of e-mail addresses that have changed. */
  tellAddresses(): Promise<void>;
  /** Gives back what an operator has not decided about for a week. */
  returnFlagged(): Promise<number>;
  /** What is offered has changed: pages that sell something else are ended, in the background. */
  offersChanged(): void;
  stop(): Promise<void>;
};

export function createPayments(given: {
  db: Database;
  provider: PaymentProvider;
  publicUrl: string;
  /** The provider's names of what people pay with. */
  paymentMethods: readonly string[];
  /** New payment pages do this beside taking a price. */
  options: OrderOptions;
  offers: OfferStore;
  /** Of the plans and packages. */
  currency: string | undefined;
  prices: Prices;
  access: AccessBook;
  catalogue: Pick<Catalogue, 'snapshot' | 'versions' | 'onChange'>;
  emailOf(userId: string): Promise<string | undefined>;
  uuid: () => string;
  clock: Clock;
  log: Log;
}): Payments {
  const { db, provider, catalogue, clock, log } = given;
  const locks = createPurchaseLocks({ ...given, query: db.query, livemode: provider.livemode });
  const subscriptions = createSubscriptions({ ...given, locks });
  const checkout = createCheckout({
    ...given,
    locks,
    findServer: (id) => catalogue.snapshot().byId.get(id),
    kinds: ['credits', 'rental', 'plan'],
    syncSubscription: subscriptions.sync,
    endReplaced: subscriptions.endReplaced,
    async isGone({ kind, itemId }) {
      if (kind !== 'rental' || catalogue.snapshot().byId.has(itemId)) return false;
      // what this broker has in memory may be older than a deployment by another one
      return !(await catalogue.versions(itemId)).some(({ status }) => status === 'deployed');
    },
  });
  const moves = createMoves({ ...given, locks, sync: subscriptions.sync });
  const withdrawing = createWithdrawing(checkout.withdraw, log);
  const endingUnoffered = createWorkLoop({
    work: subscriptions.endUnoffered,
    failed(error) {
      log.warn({ err: error }, 'rentals of a server that was undeployed could not all be ended; a job tries again');
    },
  });
  const stopsListening = [
    catalogue.onChange((_, servers, before) => {
      if (isOtherOffer(servers, before)) withdrawing.run();
      if (servers.length < before.length) void endingUnoffered.run();
    }),
    given.access.onChange((userId) => (userId === undefined ? withdrawing.run() : withdrawing.runFor(userId))),
  ];
  const events = createEventWorker({
    query: db.query,
    handlers: { ...checkout.handlers, ...subscriptions.handlers(checkout.missed.claim) },
    clock,
    log,
  });
  return {
    checkout,
    subscriptions,
    moves,
    refunds: createRefunds({ ...given, locks, endNow: subscriptions.endNow }),
    clearings: createClearings({ ...given, query: db.query }),
    events,
    mountWebhook: (server, path, noteRefusal) =>
      mountPaymentWebhook(server, { path, provider, take: events.take, noteRefusal, clock }),
    async reconcileOrders() {
      await checkout.withdraw.all();
      return checkout.reconcile();
    },
    findMissed: checkout.missed.run,
    returnFlagged: checkout.flagged.returnOld,
    tellAddresses: checkout.customers.tellAddresses,
    offersChanged: withdrawing.run,
    async stop() {
      for (const stopListening of stopsListening) stopListening();
      await withdrawing.stop();
      await endingUnoffered.stop();
      await moves.stop();
    },
  };
}

/** Whether servers were deployed, in another version or no more: what is sold of them may be another. */
function isOtherOffer(servers: readonly CatalogueServer[], before: readonly CatalogueServer[]): boolean {
  const earlier = new Map(before.map(({ id, deployedAtMs }) => [id, deployedAtMs]));
  return servers.length < before.length || servers.some(({ id, deployedAtMs }) => earlier.get(id) !== deployedAtMs);
}
