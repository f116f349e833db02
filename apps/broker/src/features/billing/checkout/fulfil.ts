import type { PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import { writeAudit } from '#platform/audit/audit-log.ts';
import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import type { Log } from '#platform/log.ts';
import { acceptPayment } from './accept-payment.ts';
import type { Customers } from './customers.ts';
import { giveBack } from './give-back.ts';
import { accountDeleted, type Order } from './order.ts';
import { decideOrder, findOrder, saveSession } from './order-store.ts';
import { differencesOf, idOf, readSession, type ProviderSession } from './read-session.ts';

/** What became of a payment: our order, and what the provider says of it now. */
export type Payment = { order: Order; session: ProviderSession };

/**
 * Asks the provider what became of a payment and does what follows from it: gives what was paid for, once. Called by
 * webhook, result page and reconciler alike, as often as they like.
 * @param options.hasFailed the provider told us that the payment failed after the page was left
 * @param options.read what the provider has just answered about it: it is not asked again
 * @returns undefined where the provider does not know the session, or it is not of an order of ours
 * @throws SoukError payments_unavailable: call again later
 */
export type Fulfil = (
  sessionId: string,
  options?: { hasFailed?: boolean; read?: ProviderSession | undefined },
) => Promise<Payment | undefined>;

/**
 * Brings what we know of a subscription up to what the provider has, so that what was bought can be used when it resolves.
 * @param subscriptionId of the provider
 */
export type SyncSubscription = (subscriptionId: string) => Promise<unknown>;

export type FulfilGiven = {
  db: Database;
  provider: PaymentProvider;
  customers: Customers;
  syncSubscription: SyncSubscription;
  uuid: () => string;
  clock: Clock;
  log: Log;
};

export function createFulfil(given: FulfilGiven): Fulfil {
  const { db, provider, customers, uuid, clock, log } = given;
  const now = () => clock.now();

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
    if (Object.keys(differences).length > 0) return flag(order, differences);
    const accepted = await db.transaction((query) =>
      acceptPayment(query, { orderId: order.id, session, transactionId: uuid(), at: new Date(now()) }),
    );
    return finish(accepted);
  }

  /** What the database alone cannot do. What fails here is done by the next call. */
  async function finish(order: Order): Promise<Order> {
    if (order.status === 'duplicate') {
      await giveBack({ db, provider, uuid, now }, order);
      const facts = { orderId: order.id, userId: order.userId, kind: order.kind, of: order.itemId };
      const isDeleted = order.reason === accountDeleted;
      log.warn(
        facts,
        isDeleted
          ? 'a payment that came after its account was deleted was refunded'
          : 'a second payment for the same thing was cancelled and refunded',
      );
      const action = isDeleted ? 'payment.refunded-after-deletion' : 'payment.duplicate-refunded';
      await writeAudit(db.kysely, { actorId: undefined, action, subject: order.id, details: facts }, new Date(now()));
      return { ...order, status: 'refunded' };
    }
    if (order.status !== 'paid' || order.subscriptionId === undefined) return order;
    await given.syncSubscription(order.subscriptionId);
    await decideOrder(db.query, order.id, ['paid'], { status: 'fulfilled', at: new Date(now()) });
    return { ...order, status: 'fulfilled' };
  }

  /** Nothing is given, and nothing is taken back: money was paid for something that was not ordered in this way. */
  async function flag(order: Order, differences: Record<string, unknown>): Promise<Order> {
    const reason = `not what was ordered: ${Object.keys(differences).join(', ')}`;
    const at = new Date(now());
    const isNew = await decideOrder(db.query, order.id, ['open', 'expired', 'failed'], {
      status: 'flagged',
      at,
      reason,
    });
    if (!isNew) return (await findOrder(db.query, { id: order.id })) ?? order;
    const details = { sessionId: order.sessionId, userId: order.userId, differences };
    log.error({ orderId: order.id, ...details }, 'a payment is not what was ordered: nothing was given for it');
    await writeAudit(
      db.kysely,
      { actorId: undefined, action: 'payment.flagged', subject: order.id, reason, details },
      at,
    );
    return { ...order, status: 'flagged', reason };
  }

  return async (sessionId, { hasFailed = false, read } = {}) => {
    const session = read ?? (await readSession(provider, sessionId));
    const order = session && (await findOrderOf(session));
    if (!order) return undefined;
    if (session.payment_status === 'paid') return { order: await accept(order, session), session };
    const ended = session.status === 'expired' ? 'expired' : hasFailed ? 'failed' : undefined;
    if (ended === undefined || order.status !== 'open') return { order, session };
    await decideOrder(db.query, order.id, ['open'], { status: ended, at: new Date(now()) });
    return { order: { ...order, status: ended }, session };
  };
}

const isUuid = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
