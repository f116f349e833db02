import { isRefusal } from '#adapters/stripe/stripe-client.ts';
import { SoukError } from '#platform/errors.ts';
import type { PurchaseLock } from '../../changes/purchase-locks.ts';
import { acceptPayment } from './accept-payment.ts';
import type { Fulfil, FulfilParts } from './fulfilment.ts';
import { flagOrder } from '../orders/flag-order.ts';
import { accountDeleted, type Order } from '../orders/order.ts';
import { decideOrder, findOrder, saveSession } from '../orders/order-store.ts';
import { outcomes, type Outcome } from './payment-outcomes.ts';
import { paymentStateOf } from './payment-state.ts';
import { idOf } from '../../id-of.ts';
import { differencesOf, readSession, type ProviderSession } from '../read-session.ts';
import { refundReturning } from './refund-returning.ts';
import { syncUnpaid } from '../sync-unpaid.ts';

export function createFulfil(parts: FulfilParts): Fulfil {
  const { db, provider, customers, uuid, clock, log } = parts;

  async function findOrderOf(session: ProviderSession): Promise<Order | undefined> {
    const order = await findOrder(db.query, { sessionId: session.id });
    if (order) return order;
    // the answer to our request for the session was lost, but the buyer reached the page
    const id = session.client_reference_id ?? '';
    const byName = isUuid(id) ? await findOrder(db.query, { id }) : undefined;
    if (!byName || byName.sessionId !== undefined) return undefined;
    await saveSession(db.query, byName.id, session);
    return { ...byName, sessionId: session.id };
  }

  async function accept(order: Order, session: ProviderSession, lock?: PurchaseLock): Promise<Order> {
    // the customer of a deleted account is no longer known
    const customer = order.reason === accountDeleted ? idOf(session.customer) : await customers.find(order.userId);
    const differences = differencesOf(order, session, customer);
    if (Object.keys(differences).length > 0) return flagOrder(parts, order, session, differences);
    const isUndeployed = await parts.isUndeployed(order);
    if (lock) await syncUnpaid(parts, order, { but: idOf(session.subscription), lock });
    const accepted = await db.transaction((query) =>
      acceptPayment(query, {
        orderId: order.id,
        session,
        transactionId: uuid(),
        at: new Date(clock.now()),
        isUndeployed,
        findServer: parts.findServer,
      }),
    );
    return finish(accepted, lock);
  }

  /** Work outside the database. If it fails, the next fulfilment repeats it. */
  async function finish(order: Order, lock?: PurchaseLock): Promise<Order> {
    if (order.status === 'returning') return refundReturning(parts, order, lock);
    if (order.status !== 'paid' || order.subscriptionId === undefined || !lock) return order;
    if ((await parts.sync(order.subscriptionId, lock)) === 'changing') throw new SoukError('payments_unavailable');
    await parts.endReplaced(order, lock);
    await decideOrder(db.query, order.id, ['paid'], { status: 'fulfilled', at: new Date(clock.now()) });
    return { ...order, status: 'fulfilled' };
  }

  async function end(order: Order, status: 'expired' | 'failed', subscriptionId?: string): Promise<Order> {
    await decideOrder(db.query, order.id, ['open'], { status, at: new Date(clock.now()), subscriptionId });
    return { ...order, status };
  }

  /** Work on subscriptions waits for other changes of the same user. Credits change no subscription. */
  const locked =
    (work: (order: Order, session: ProviderSession, lock?: PurchaseLock) => Promise<Order>): Follow =>
    (order, session, lock) =>
      order.kind === 'credits'
        ? work(order, session)
        : parts.locks.run(order.userId, (taken) => work(order, session, taken), { lock });

  const follow: Record<Outcome, Follow> = {
    wait: (order) => order,
    nothing: (order) => order,
    accept: locked(accept),
    finish: locked((order, _session, lock) => finish(order, lock)),
    expire: (order) => end(order, 'expired'),
    fail: (order, session) => end(order, 'failed', idOf(session.subscription)),
    async close(order, session) {
      try {
        await provider.call((stripe) => stripe.checkout.sessions.expire(session.id));
      } catch (error) {
        // another call has closed it, or it was paid: the next call finds out
        if (!isRefusal(error)) throw error;
      }
      return order;
    },
    alarm(order, session) {
      const facts = { orderId: order.id, sessionId: session.id, status: order.status, userId: order.userId };
      log.error({ ...facts, atProvider: paymentStateOf(session) }, 'the status of an order does not match its payment');
      return order;
    },
  };

  return async (sessionId, { read, lock } = {}) => {
    const session = read ?? (await readSession(provider, sessionId));
    const order = session && (await findOrderOf(session));
    if (!order) return undefined;
    const state = paymentStateOf(session);
    // withdrawn: its page has to end
    const isMarked = order.status === 'open' && order.reason !== undefined && state === 'open';
    return { order: await follow[isMarked ? 'close' : outcomes[order.status][state]](order, session, lock), session };
  };
}

type Follow = (order: Order, session: ProviderSession, lock?: PurchaseLock) => Order | Promise<Order>;

const isUuid = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
