import type { Query } from '#platform/db/database.ts';

/** Purpose of a refund that failed at the bank days later. */
export type FailedRefund = { kind: 'payment' | 'order' | 'access'; id: string };

/**
 * Records that the bank did not carry out a refund: marks its row of the history as failed, flags a refunded order again, and
 * marks a refund by an administrator as failed. An operator has to look at each.
 * @param failed.fact `refund:{id}`
 * @returns what the refund was for; undefined where the failure is recorded already
 */
export async function recordFailedRefund(
  query: Query,
  failed: { fact: string; paymentIntentId: string; accessRefund: string | undefined; at: Date },
): Promise<FailedRefund | undefined> {
  const { fact, paymentIntentId, accessRefund, at } = failed;
  const { rows } = await query<{ id: string }>(
    `update transactions set status = 'failed' where idem = $1 and status <> 'failed' returning id`,
    [fact],
  );
  const { rows: orders } = await query<{ id: string }>(
    `update checkout_orders set status = 'flagged', decided_at = $2, trouble = 'its refund failed'
     where payment_intent_id = $1 and status = 'refunded' returning id`,
    [paymentIntentId, at],
  );
  const { rows: refunds } = await query<{ id: string }>(
    `update access_refunds set state = 'failed', error = 'the refund failed at the payment provider days later', done_at = $2,
       next_at = $2::timestamptz + interval '1 day'
     where id::text = $1 and state = 'refunded' returning id`,
    [accessRefund ?? null, at],
  );
  const [order, refund, row] = [orders[0], refunds[0], rows[0]];
  if (order) return { kind: 'order', id: order.id };
  if (refund) return { kind: 'access', id: refund.id };
  return row && { kind: 'payment', id: row.id };
}

/** Closes flagged orders that the operator has refunded completely. */
export async function closeFlagged(query: Query, paymentIntentId: string, at: Date): Promise<void> {
  await query(
    `update checkout_orders o set status = 'refunded', decided_at = $2
     where payment_intent_id = $1 and status = 'flagged' and exists (
       select from transactions t where t.payment_intent_id = $1 and t.type <> 'refund' and t.status = 'refunded')`,
    [paymentIntentId, at],
  );
}
