import type { FastifyInstance } from 'fastify';
import type { CatalogueServer } from '#features/catalogue/index.ts';
import { createWorkLoop } from '#platform/work/work-loop.ts';
import { createClearings, type Clearings } from './changes/clear-customers.ts';
import { createPurchaseLocks } from './changes/purchase-locks.ts';
import { createCheckout, type Checkout } from './checkout/create-checkout.ts';
import { createWithdrawing } from './checkout/orders/withdrawing.ts';
import type { OrderReport } from './checkout/reconcile-orders.ts';
import { createMoves, type Moves } from './moves/create-moves.ts';
import { createRefunds, type Refunds } from './refunds/create-refunds.ts';
import type { ShopParts } from './shop-parts.ts';
import { createSubscriptions, type Subscriptions } from './subscriptions/create-subscriptions.ts';
import { createClawback, type Clawback } from './clawback/create-clawback.ts';
import { createEventWorker, type EventWorker } from './webhook/event-worker.ts';
import { mountPaymentWebhook } from './webhook/webhook-route.ts';

export type Payments = {
  readonly checkout: Checkout;
  readonly subscriptions: Subscriptions;
  readonly clawback: Clawback;
  readonly refunds: Refunds;
  readonly moves: Moves;
  readonly clearings: Clearings;
  readonly events: EventWorker;
  mountWebhook(server: FastifyInstance, path: string, recordRefusal: (reason: string) => void): void;
  /** Ends payment pages of offers that no longer exist, and asks the provider about payments without an event. */
  reconcileOrders(): Promise<OrderReport>;
  /** Looks through the provider's records for payments that had no effect here. Returns how many it found. */
  findMissed(): Promise<number>;
  sendAddresses(): Promise<void>;
  /** Refunds orders that the operator has not decided about for a week. Returns how many. */
  returnFlagged(): Promise<number>;
  /** Call it when offers have changed: payment pages that no longer match an offer are ended in the background. */
  offersChanged(): void;
  stop(): Promise<void>;
};

export function createPayments(paymentParts: Omit<ShopParts, 'locks' | 'sync' | 'findServer'>): Payments {
  const { db, provider, catalogue, clock, log } = paymentParts;
  const locks = createPurchaseLocks({ ...paymentParts, query: db.query, livemode: provider.livemode });
  const findServer = (id: string) => catalogue.snapshot().byId.get(id);
  const subscriptions = createSubscriptions({ ...paymentParts, locks, findServer });
  const parts: ShopParts = { ...paymentParts, locks, findServer, sync: subscriptions.sync };
  const checkout = createCheckout({
    ...parts,
    endReplaced: subscriptions.endReplaced,
    async isUndeployed({ kind, itemId }) {
      if (kind !== 'rental' || findServer(itemId)) return false;
      // this broker's memory may be older than a deployment by another one
      return !(await catalogue.versions(itemId)).some(({ status }) => status === 'deployed');
    },
  });
  const clawback = createClawback(parts);
  const moves = createMoves(parts);
  const withdrawing = createWithdrawing(checkout.withdraw, log);
  const endingUnoffered = createWorkLoop({
    work: subscriptions.endUnoffered,
    failed(error) {
      log.warn({ err: error }, 'not all rentals of an undeployed server could be ended; a job will retry');
    },
  });
  const stopsListening = [
    catalogue.onChange((_, servers, before) => {
      if (haveOffersChanged(servers, before)) withdrawing.run();
      if (servers.length < before.length) void endingUnoffered.run();
    }),
    paymentParts.access.onChange((userId) => (userId === undefined ? withdrawing.run() : withdrawing.runFor(userId))),
  ];
  const events = createEventWorker({
    ...parts,
    handlers: { ...checkout.handlers, ...subscriptions.handlers(checkout.missed.claim), ...clawback.handlers },
  });
  return {
    checkout,
    subscriptions,
    clawback,
    moves,
    refunds: createRefunds({ ...parts, endNow: subscriptions.endNow }),
    clearings: createClearings(parts),
    events,
    mountWebhook: (server, path, recordRefusal) =>
      mountPaymentWebhook(server, { path, provider, take: events.take, recordRefusal, clock }),
    async reconcileOrders() {
      await checkout.withdraw.all();
      return checkout.reconcile();
    },
    findMissed: checkout.missed.run,
    returnFlagged: checkout.flagged.returnOld,
    sendAddresses: checkout.customers.sendAddresses,
    offersChanged: withdrawing.run,
    async stop() {
      for (const stopListening of stopsListening) stopListening();
      await withdrawing.stop();
      await endingUnoffered.stop();
      await moves.stop();
    },
  };
}

/** Whether servers were deployed, redeployed or undeployed, so that their offers may have changed. */
function haveOffersChanged(servers: readonly CatalogueServer[], before: readonly CatalogueServer[]): boolean {
  const earlier = new Map(before.map(({ id, deployedAtMs }) => [id, deployedAtMs]));
  return servers.length < before.length || servers.some(({ id, deployedAtMs }) => earlier.get(id) !== deployedAtMs);
}
