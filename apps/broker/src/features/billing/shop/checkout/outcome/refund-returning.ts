import type { AuditAction } from '@souk/contract/admin/audit-actions.ts';
import { writeAuditWith, type AuditEntry } from '#platform/audit/audit-log.ts';
import type { PurchaseLock } from '../../changes/purchase-locks.ts';
import type { ShopParts } from '../../shop-parts.ts';
import { refundOrder } from './refund-order.ts';
import { accountDeleted, keyOf, paidTwice, type Order } from '../orders/order.ts';
import { decideOrder } from '../orders/order-store.ts';

const actions = new Map<string | undefined, AuditAction>([
  [accountDeleted, 'payment.refunded-after-deletion'],
  [paidTwice, 'payment.duplicate-refunded'],
]);

type ReturnParts = Pick<ShopParts, 'db' | 'provider' | 'locks' | 'uuid' | 'clock' | 'log'>;

/** Refunds the payment of an order that is `returning`, with a line in the log and the audit log. */
export const refundReturning = (parts: ReturnParts, order: Order, lock?: PurchaseLock): Promise<Order> =>
  order.kind === 'credits'
    ? returnLocked(parts, order)
    : parts.locks.run(order.userId, () => returnLocked(parts, order), { lock });

async function returnLocked(parts: ReturnParts, order: Order): Promise<Order> {
  const { db, clock, log } = parts;
  const { id, userId, kind, itemId: of, reason } = order;
  const facts = { orderId: id, userId, kind, of, reason };
  const action = actions.get(reason) ?? 'payment.returned';
  const answer = await refundOrder(parts, order, (query, at) =>
    writeAuditWith(query, { actorId: undefined, action, subject: id, details: facts }, at),
  );
  if (answer === 'already') return { ...order, status: 'refunded' };
  // the next call checks whether the bank has carried it out
  if (answer === 'pending') return order;
  if (answer !== 'refunded') {
    // such as when the balance is too low: retried in a week, unless the operator decides
    const stays = { status: 'flagged' as const, trouble: `its refund was refused: ${answer.refused}` };
    const details = { ...facts, error: answer.refused };
    await db.transaction(async (query) => {
      const at = new Date(clock.now());
      await decideOrder(query, id, ['returning'], { ...stays, at });
      await query(`update transactions set status = 'pending' where idem = $1 and status = 'refunded'`, [keyOf(order)]);
      const entry: AuditEntry = { actorId: undefined, action: 'payment.return-refused', subject: id, details };
      await writeAuditWith(query, entry, at);
    });
    log.error({ ...facts, refused: answer.refused }, 'a payment could not be refunded: an operator has to look');
    return { ...order, ...stays };
  }
  log.warn(facts, 'a payment for what is not available was refunded');
  return { ...order, status: 'refunded' };
}
