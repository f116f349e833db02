import { writeAudit } from '#platform/audit/audit-log.ts';
import type { FulfilGiven } from './fulfilment.ts';
import { firstPayment } from './give-back.ts';
import { notAsOrdered, type Order } from './order.ts';
import { decideOrder, findOrder } from './order-store.ts';
import { idOf, type ProviderSession } from './read-session.ts';

/** Marks an order whose payment is not what was ordered. Nothing is given for it; a week later it is given back. */
export type FlagOrder = (
  order: Order,
  session: ProviderSession,
  differences: Record<string, unknown>,
) => Promise<Order>;

export function createFlagOrder({
  db,
  provider,
  clock,
  log,
}: Pick<FulfilGiven, 'db' | 'provider' | 'clock' | 'log'>): FlagOrder {
  return async (order, session, differences) => {
    const reason = `${notAsOrdered}: ${Object.keys(differences).join(', ')}`;
    const at = new Date(clock.now());
    const subscriptionId = idOf(session.subscription);
    const isNew = await decideOrder(db.query, order.id, ['open', 'expired', 'failed'], {
      status: 'flagged',
      at,
      reason,
      subscriptionId,
      // what a refund by hand names
      paymentIntentId: idOf(session.payment_intent) ?? (await firstPayment(provider, session.invoice)),
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
  };
}
