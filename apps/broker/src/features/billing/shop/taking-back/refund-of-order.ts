import type { Query } from '#platform/db/database.ts';

/** What a refund that failed at the bank, days after it was made, had been for. */
export type FailedRefund = { kind: 'payment' | 'order' | 'access'; id: string };

/**
 * Undoes what was noted of a refund that the bank did not carry out: the row of the history has failed, an order that was
 * given back is flagged again, a refund by an administrator has failed. An operator has to look at each.
 * @param fact `refund:{id}`
 * @returns what it was for, where that was not known before
 */
export async function noteFailedRefund(
  query: Query,
  {
    fact,
    paymentIntentId,
    accessRefund,
    at,
  }: {
    fact: string;
    paymentIntentId: string;
    accessRefund: string | undefined;
    at: Date;
  },
): Promise<FailedRefund | undefined> {
  const { rows: failed } = await query<{ id: string }>(
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
  const [order, refund, row] = [orders[0], refunds[0], failed[0]];
  if (order) return { kind: 'order', id: order.id };
  if (refund) return { kind: 'access', id: refund.id };
  return row && { kind: 'payment', id: row.id };
}

/** A flagged order all of whose money the operator has given back needs them no more. */
export async function closeFlagged(query: Query, paymentIntentId: string, at: Date): Promise<void> {
  await query(
    `update checkout_orders o set status = 'refunded', decided_at = $2
     where payment_intent_id = $1 and status = 'flagged' and exists (
       select from transactions t where t.payment_intent_id = $1 and t.type <> 'refund' and t.status = 'refunded')`,
    [paymentIntentId, at],
  );
}
