import { isRefusal } from '#adapters/stripe/stripe-client.ts';
import { acceptPayment } from './accept-payment.ts';
import type { Fulfil, FulfilGiven } from './fulfilment.ts';
import { createFlagOrder } from './flag-order.ts';
import { accountDeleted, type Order } from './order.ts';
import { decideOrder, findOrder, saveSession } from './order-store.ts';
import { outcomes, type Outcome } from './payment-outcomes.ts';
import { paymentStateOf } from './payment-state.ts';
import { differencesOf, idOf, readSession, type ProviderSession } from './read-session.ts';
import { createReturnPayment } from './return-payment.ts';

export function createFulfil(given: FulfilGiven): Fulfil {
  const { db, provider, customers, uuid, clock, log } = given;
  const now = () => clock.now();
  const flag = createFlagOrder(given);
  const returnPayment = createReturnPayment(given);

  async function findOrderOf(session: ProviderSession): Promise<Order | undefined> {
    const order = await findOrder(db.query, { sessionId: session.id });
    if (order) return order;
    // the answer to our request for the session was lost, and the person found the page all the same
    const id = session.client_reference_id ?? '';
    const byName = isUuid(id) ? await findOrder(db.query, { id }) : undefined;
    if (!byName || byName.sessionId !== undefined) return undefined;
    await saveSession(db.query, byName.id, session);
    return { ...byName, sessionId: session.id };
  }

  async function accept(order: Order, session: ProviderSession): Promise<Order> {
    // of a deleted account it is no longer known
    const customer = order.reason === accountDeleted ? idOf(session.customer) : await customers.find(order.userId);
    const differences = differencesOf(order, session, customer);
    if (Object.keys(differences).length > 0) return flag(order, session, differences);
    const isGone = await given.isGone(order);
    const accepted = await db.transaction((query) =>
      acceptPayment(query, {
        orderId: order.id,
        session,
        transactionId: uuid(),
        at: new Date(now()),
        isGone,
        findServer: given.findServer,
      }),
    );
    return finish(accepted);
  }

  /** What the database alone cannot do. What fails here is done by the next call. */
  async function finish(order: Order): Promise<Order> {
    if (order.status === 'returning') return returnPayment(order);
    if (order.status !== 'paid' || order.subscriptionId === undefined) return order;
    await given.syncSubscription(order.subscriptionId);
    await given.endReplaced(order);
    await decideOrder(db.query, order.id, ['paid'], { status: 'fulfilled', at: new Date(now()) });
    return { ...order, status: 'fulfilled' };
  }

  async function end(order: Order, status: 'expired' | 'failed'): Promise<Order> {
    await decideOrder(db.query, order.id, ['open'], { status, at: new Date(now()) });
    return { ...order, status };
  }

  const follow: Record<Outcome, (order: Order, session: ProviderSession) => Order | Promise<Order>> = {
    wait: (order) => order,
    nothing: (order) => order,
    accept,
    finish,
    expire: (order) => end(order, 'expired'),
    fail: (order) => end(order, 'failed'),
    async close(order, session) {
      try {
        await provider.call((stripe) => stripe.checkout.sessions.expire(session.id));
      } catch (error) {
        // another call has closed it, or it was paid: the next question hears of it
        if (!isRefusal(error)) throw error;
      }
      return order;
    },
    alarm(order, session) {
      const facts = { orderId: order.id, sessionId: session.id, status: order.status, userId: order.userId };
      log.error({ ...facts, atProvider: paymentStateOf(session) }, 'an order and its payment do not fit together');
      return order;
    },
  };

  return async (sessionId, { read } = {}) => {
    const session = read ?? (await readSession(provider, sessionId));
    const order = session && (await findOrderOf(session));
    if (!order) return undefined;
    const state = paymentStateOf(session);
    // marked as one that can no longer be had: its page has to end
    const isMarked = order.status === 'open' && order.reason !== undefined && state === 'open';
    return { order: await follow[isMarked ? 'close' : outcomes[order.status][state]](order, session), session };
  };
}

const isUuid = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
