import { writeAuditWith, type AuditEntry } from '#platform/audit/audit-log.ts';
import { idOf } from '../../id-of.ts';
import { findPaymentOfInvoice } from '../../find-payment-of-invoice.ts';
import { recordTransaction } from '../../record-transaction.ts';
import type { ShopParts } from '../../shop-parts.ts';
import { paidTotalsOf, type ProviderSession } from '../read-session.ts';
import { notAsOrdered, type Order } from './order.ts';
import { decideOrder, findOrder } from './order-store.ts';
import { transactionOf } from './order-transaction.ts';

/** Marks an order whose payment does not match it. Nothing is delivered; the payment is refunded after a week. */
export async function flagOrder(
  { db, provider, uuid, clock, log }: Pick<ShopParts, 'db' | 'provider' | 'uuid' | 'clock' | 'log'>,
  order: Order,
  session: ProviderSession,
  differences: Record<string, unknown>,
): Promise<Order> {
  const reason = `${notAsOrdered}: ${Object.keys(differences).join(', ')}`;
  const at = new Date(clock.now());
  const subscriptionId = idOf(session.subscription);
  // the event of a manual refund names it
  const paymentIntentId = idOf(session.payment_intent) ?? (await findPaymentOfInvoice(provider, idOf(session.invoice)));
  const details = { sessionId: order.sessionId, userId: order.userId, currency: order.currency, differences };
  const isNew = await db.transaction(async (query) => {
    const paid = paidTotalsOf(session);
    const decided = { status: 'flagged', at, reason, subscriptionId, paymentIntentId, paid } as const;
    if (!(await decideOrder(query, order.id, ['open', 'expired', 'failed'], decided))) return false;
    // the buyer sees at once that it is being checked
    await recordTransaction(
      query,
      transactionOf(order, session, { id: uuid(), status: 'pending', paymentIntentId, at }),
    );
    const entry: AuditEntry = { actorId: undefined, action: 'payment.flagged', subject: order.id, reason, details };
    await writeAuditWith(query, entry, at);
    return true;
  });
  if (!isNew) return (await findOrder(db.query, { id: order.id })) ?? order;
  log.error({ orderId: order.id, ...details }, 'a payment is not what was ordered: nothing was delivered for it');
  return { ...order, status: 'flagged', reason };
}
