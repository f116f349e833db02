import { writeAudit, type AuditEntry } from '#platform/audit/audit-log.ts';
import type { ShopParts } from '../../shop-parts.ts';
import type { Order } from '../orders/order.ts';

/** Alerts the operator to a payment that a reconciler found: its webhook did not arrive, or failed. */
export async function reportFoundPayment(
  { db, clock, log }: Pick<ShopParts, 'db' | 'clock' | 'log'>,
  { id, userId, sessionId }: Order,
  status: string,
): Promise<void> {
  const details = { sessionId, userId, status };
  log.error(
    { orderId: id, ...details },
    'a payment was found by the reconciler: its webhook did not arrive, or failed',
  );
  const entry: AuditEntry = { actorId: undefined, action: 'payment.found-by-reconciler', subject: id, details };
  await writeAudit(db.kysely, entry, new Date(clock.now()));
}
