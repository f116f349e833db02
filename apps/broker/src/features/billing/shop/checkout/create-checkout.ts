import type { PaymentSession } from '@souk/contract/billing/payments.ts';
import { isRefusal, type PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import type { CatalogueServer } from '#features/catalogue/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';
import type { Log } from '#platform/log.ts';
import { createRateLimit } from '#platform/rate-limit.ts';
import { isChangeUnderWay } from '../changes/purchase-locks.ts';
import type { OfferStore } from '../offers/offer-store.ts';
import type { Prices } from '../prices/create-prices.ts';
import type { PaymentEventHandlers } from '../webhook/payment-event.ts';
import { createAlarmOfPayment } from './outcome/alarm-of-payment.ts';
import { createCustomers, type Customers } from './customers.ts';
import { createOfferFinder } from './orders/find-offer.ts';
import { createFindMissed, type FindMissed } from './find-missed.ts';
import { createFlaggedOrders, type FlaggedOrders } from './orders/flagged-orders.ts';
import { createFulfil } from './outcome/fulfil.ts';
import type { Fulfil, FulfilGiven, SyncSubscription } from './outcome/fulfilment.ts';
import { findOrder } from './orders/order-store.ts';
import type { OrderKind, OrderOptions } from './orders/order.ts';
import { withPatience } from './patience.ts';
import { presentPayment } from './outcome/present-payment.ts';
import { readSession } from './read-session.ts';
import { reconcileOrders, type OrderReport } from './reconcile-orders.ts';
import { createReturnPayment } from './outcome/return-payment.ts';
import { createWithdrawOrders, type WithdrawOrders } from './orders/withdraw-orders.ts';
import { createStartCheckout, type StartCheckout } from './start-checkout.ts';

/** Of one person: the result page asks every second or two. */
const questionsPerMinute = 120;

export type Checkout = {
  readonly customers: Customers;
  readonly start: StartCheckout;
  readonly fulfil: Fulfil;
  /** For webhooks. */
  readonly handlers: PaymentEventHandlers;
  /** What became of one of a person's payments; undefined where it is not theirs. @throws SoukError payments_unavailable */
  payment(userId: string, sessionId: string): Promise<PaymentSession | undefined>;
  /** So that no one pays on them any more. One that was paid or has expired stays as it is. @throws SoukError payments_unavailable */
  closePages(sessionIds: readonly string[]): Promise<void>;
  /** Asks the provider about all orders that wait for its word. */
  reconcile(): Promise<OrderReport>;
  /** Finds money that the provider has and that nothing came of here, from what the provider has. */
  readonly missed: FindMissed;
  readonly flagged: FlaggedOrders;
  /** Ends the payment pages of what is no longer offered, or at another price, or what the person has by now. */
  readonly withdraw: WithdrawOrders;
};

export type CheckoutGiven = {
  db: Database;
  provider: PaymentProvider;
  publicUrl: string;
  offers: OfferStore;
  /** Of the plans and packages. */
  currency: string | undefined;
  prices: Prices;
  findServer(id: string): CatalogueServer | undefined;
  isGone: FulfilGiven['isGone'];
  endReplaced: FulfilGiven['endReplaced'];
  locks: FulfilGiven['locks'];
  paymentMethods: readonly string[];
  options: OrderOptions;
  emailOf(userId: string): Promise<string | undefined>;
  syncSubscription: SyncSubscription;
  /** What can be paid for. */
  kinds: readonly OrderKind[];
  uuid: () => string;
  clock: Clock;
  log: Log;
};

/** Everything between a click on a price and what was paid for being there. */
export function createCheckout(given: CheckoutGiven): Checkout {
  const { db, provider, clock, log } = given;
  const customers = createCustomers({ query: db.query, provider });
  const fulfil = createFulfil({ ...given, customers });
  const finder = createOfferFinder(given);
  const alarm = createAlarmOfPayment(given);
  const start = createStartCheckout({ ...given, query: db.query, brokers: db.brokers, customers, finder, fulfil });
  const questions = createRateLimit(questionsPerMinute, clock, undefined, db.brokers);

  return {
    customers,
    start,
    fulfil,
    handlers: {
      'checkout.session.completed': ({ objectId }) => fulfil(objectId),
      'checkout.session.async_payment_succeeded': ({ objectId }) => fulfil(objectId),
      'checkout.session.async_payment_failed': ({ objectId }) => fulfil(objectId),
      'checkout.session.expired': ({ objectId }) => fulfil(objectId),
    },
    async payment(userId, sessionId) {
      const order = await findOrder(db.query, { sessionId });
      if (order?.userId !== userId || order.livemode !== provider.livemode) return undefined;
      if (!questions.take(userId)) throw new SoukError('rate_limited');
      const payment = await withPatience(fulfil(sessionId)).catch(async (error: unknown) => {
        if (!isChangeUnderWay(error)) throw error;
        // it is given when the other change is over, and the page asks again
        const session = await readSession(provider, sessionId);
        return session && { order, session };
      });
      return payment && presentPayment(payment);
    },
    async closePages(sessionIds) {
      for (const id of sessionIds) {
        try {
          await provider.call((stripe) => stripe.checkout.sessions.expire(id));
        } catch (error) {
          if (!isRefusal(error)) throw error;
        }
      }
    },
    reconcile: () => reconcileOrders({ db, provider, fulfil, alarm, clock, log }),
    missed: createFindMissed({ db, provider, fulfil, alarm, clock, log }),
    flagged: createFlaggedOrders({ db, provider, clock, returnPayment: createReturnPayment(given) }),
    withdraw: createWithdrawOrders({ ...given, fulfil }),
  };
}
