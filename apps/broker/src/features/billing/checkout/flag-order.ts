import { writeAuditWith, type AuditEntry } from '#platform/audit/audit-log.ts';
import type { FulfilGiven } from './fulfilment.ts';
import { firstPayment } from './give-back.ts';
import { notAsOrdered, type Order } from './order.ts';
import { decideOrder, findOrder } from './order-store.ts';
import { idOf, paidTotalsOf, type ProviderSession } from './read-session.ts';

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
    // what a refund by hand names
    const paymentIntentId = idOf(session.payment_intent) ?? (await firstPayment(provider, session.invoice));
    const details = { sessionId: order.sessionId, userId: order.userId, currency: order.currency, differences };
    const isNew = await db.transaction(async (query) => {
      const paid = paidTotalsOf(session);
      const decided = { status: 'flagged', at, reason, subscriptionId, paymentIntentId, paid } as const;
      if (!(await decideOrder(query, order.id, ['open', 'expired', 'failed'], decided))) return false;
      const entry: AuditEntry = { actorId: undefined, action: 'payment.flagged', subject: order.id, reason, details };
      await writeAuditWith(query, entry, at);
      return true;
    });
    if (!isNew) return (await findOrder(db.query, { id: order.id })) ?? order;
    log.error({ orderId: order.id, ...details }, 'a payment is not what was ordered: nothing was given for it');
    return { ...order, status: 'flagged', reason };
  };
}
