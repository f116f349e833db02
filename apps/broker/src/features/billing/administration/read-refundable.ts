import type { Query } from '#platform/db/database.ts';
import { presentRefund, refundSumSql, type RefundColumns, type RefundOffer } from '../shop/refunds/refundable-sql.ts';

/** Reads the refundable amount of each of a user's plans and rentals, by its id. */
export async function readRefundable(
  query: Query,
  { userId, livemode, nowMs }: { userId: string; livemode: boolean; nowMs: number },
): Promise<(id: string) => RefundOffer> {
  const owned = 'user_id = $1 and livemode = $2 and ended_at is null and payment_id is not null';
  const { rows } = await query<RefundColumns & { id: string }>(
    `select o.id, r.* from (
       select id, payment_id from subscriptions where ${owned}
       union all
       select id, payment_id from access_grants where ${owned}) o
     cross join lateral (${refundSumSql('o.payment_id', '$3')}) r`,
    [userId, livemode, new Date(nowMs)],
  );
  const refunds = new Map(rows.map((row) => [row.id, presentRefund(row)]));
  return (id) => refunds.get(id) ?? { refund: null, isDisputed: false };
}

/** Whether everything that was paid for the unused time of a plan or rental is disputed, so that nothing can be refunded. */
export async function isAllDisputed(query: Query, providerSubscriptionId: string, usedUntil: Date): Promise<boolean> {
  const { rows } = await query<RefundColumns>(refundSumSql('$1::text', '$2'), [providerSubscriptionId, usedUntil]);
  const [row] = rows;
  if (!row) return false;
  const { refund, isDisputed } = presentRefund(row);
  return refund === null && isDisputed;
}
