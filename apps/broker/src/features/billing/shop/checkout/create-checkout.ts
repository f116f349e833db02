import type { PaymentSession } from '@souk/contract/billing/payments.ts';
import { isRefusal } from '#adapters/stripe/stripe-client.ts';
import { SoukError } from '#platform/errors.ts';
import { createRateLimit } from '#platform/rate-limit.ts';
import { isChangeUnderWay } from '../changes/purchase-locks.ts';
import type { ShopParts } from '../shop-parts.ts';
import type { PaymentEventHandlers } from '../webhook/payment-event.ts';
import { createCustomers, type Customers } from './customers.ts';
import { createFindMissed, type FindMissed } from './find-missed.ts';
import { createFlaggedOrders, type FlaggedOrders } from './orders/flagged-orders.ts';
import { createFulfil } from './outcome/fulfil.ts';
import type { FulfilParts } from './outcome/fulfilment.ts';
import { findOrder } from './orders/order-store.ts';
import { withPatience } from './patience.ts';
import { presentPayment } from './outcome/present-payment.ts';
import { readSession } from './read-session.ts';
import { reconcileOrders, type OrderReport } from './reconcile-orders.ts';
import { createWithdrawOrders, type WithdrawOrders } from './orders/withdraw-orders.ts';
import { createStartCheckout, type StartCheckout } from './start-checkout.ts';

/** Requests of one user for the status of payments: the result page polls every second or two. */
const statusRequestsPerMinute = 120;

export type Checkout = {
  readonly customers: Customers;
  readonly start: StartCheckout;
  readonly handlers: PaymentEventHandlers;
  /** Reports the outcome of a user's payment; undefined where it is not theirs. @throws SoukError payments_unavailable */
  payment(userId: string, sessionId: string): Promise<PaymentSession | undefined>;
  /** Ends payment pages. A paid or expired page stays as it is. @throws SoukError payments_unavailable */
  closePages(sessionIds: readonly string[]): Promise<void>;
  /** Asks the provider about all orders that wait for its answer. */
  reconcile(): Promise<OrderReport>;
  readonly missed: FindMissed;
  readonly flagged: FlaggedOrders;
  readonly withdraw: WithdrawOrders;
};

export function createCheckout(parts: ShopParts & Pick<FulfilParts, 'isUndeployed' | 'endReplaced'>): Checkout {
  const { db, provider, clock } = parts;
  const customers = createCustomers(parts);
  const fulfil = createFulfil({ ...parts, customers });
  const statusRequests = createRateLimit(statusRequestsPerMinute, clock, undefined, db.brokers);

  return {
    customers,
    start: createStartCheckout({ ...parts, customers, fulfil }),
    handlers: {
      'checkout.session.completed': ({ objectId }) => fulfil(objectId),
      'checkout.session.async_payment_succeeded': ({ objectId }) => fulfil(objectId),
      'checkout.session.async_payment_failed': ({ objectId }) => fulfil(objectId),
      'checkout.session.expired': ({ objectId }) => fulfil(objectId),
    },
    async payment(userId, sessionId) {
      const order = await findOrder(db.query, { sessionId });
      if (order?.userId !== userId || order.livemode !== provider.livemode) return undefined;
      if (!statusRequests.take(userId)) throw new SoukError('rate_limited');
      const payment = await withPatience(fulfil(sessionId)).catch(async (error: unknown) => {
        if (!isChangeUnderWay(error)) throw error;
        // it is fulfilled once the other change is over; the page polls again
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
    reconcile: () => reconcileOrders({ ...parts, fulfil }),
    missed: createFindMissed({ ...parts, fulfil }),
    flagged: createFlaggedOrders(parts),
    withdraw: createWithdrawOrders({ ...parts, fulfil }),
  };
}
