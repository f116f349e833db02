import { writeAuditWith, type AuditEntry } from '#platform/audit/audit-log.ts';
import type { FulfilGiven } from '../outcome/fulfilment.ts';
import { firstPayment } from '../outcome/give-back.ts';
import { recordTransaction } from '../../record-transaction.ts';
import { keyOf, notAsOrdered, transactionTypes, type Order } from './order.ts';
import { decideOrder, findOrder } from './order-store.ts';
import { idOf, invoiceOf, paidTotalsOf, type ProviderSession } from '../read-session.ts';

/** Marks an order whose payment is not what was ordered. Nothing is given for it; a week later it is given back. */
export type FlagOrder = (
  order: Order,
  session: ProviderSession,
  differences: Record<string, unknown>,
) => Promise<Order>;

export function createFlagOrder({
  db,
  provider,
  uuid,
  clock,
  log,
}: Pick<FulfilGiven, 'db' | 'provider' | 'uuid' | 'clock' | 'log'>): FlagOrder {
  return async (order, session, differences) => {
    const reason = `${notAsOrdered}: ${Object.keys(differences).join(', ')}`;
    const at = new Date(clock.now());
    const subscriptionId = idOf(session.subscription);
    // what a refund by hand names
    const paymentIntentId = idOf(session.payment_intent) ?? (await firstPayment(provider, idOf(session.invoice)));
    const details = { sessionId: order.sessionId, userId: order.userId, currency: order.currency, differences };
    const isNew = await db.transaction(async (query) => {
      const paid = paidTotalsOf(session);
      const decided = { status: 'flagged', at, reason, subscriptionId, paymentIntentId, paid } as const;
      if (!(await decideOrder(query, order.id, ['open', 'expired', 'failed'], decided))) return false;
      const invoice = invoiceOf(session);
      // its buyer sees at once that it is being checked
      await recordTransaction(query, {
        id: uuid(),
        userId: order.userId,
        livemode: order.livemode,
        type: transactionTypes[order.kind],
        status: 'pending',
        description: order.description,
        serverId: order.kind === 'rental' ? order.itemId : undefined,
        amount: paid.total,
        discount: paid.discount,
        tax: paid.tax,
        currency: (session.currency ?? order.currency).toUpperCase(),
        receiptUrl: invoice?.receiptUrl,
        paymentIntentId,
        invoiceId: invoice?.id,
        idem: keyOf(order),
        at,
      });
      const entry: AuditEntry = { actorId: undefined, action: 'payment.flagged', subject: order.id, reason, details };
      await writeAuditWith(query, entry, at);
      return true;
    });
    if (!isNew) return (await findOrder(db.query, { id: order.id })) ?? order;
    log.error({ orderId: order.id, ...details }, 'a payment is not what was ordered: nothing was given for it');
    return { ...order, status: 'flagged', reason };
  };
}
