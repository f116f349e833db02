import type { Database, Query } from '#platform/db/database.ts';
import { recordTransaction } from '../record-transaction.ts';
import { taxOfRefund } from '../tax-of-refund.ts';
import type { KnownPayment } from './find-payment.ts';
import type { ClawbackParts } from './clawback-parts.ts';

/** Serializes changes per payment. */
export function withLockedPayment<T>(
  db: Pick<Database, 'transaction'>,
  payment: KnownPayment,
  work: (query: Query) => Promise<T>,
): Promise<T> {
  return db.transaction(async (query) => {
    await query('select from transactions where id = $1 for update', [payment.transactionId]);
    return work(query);
  });
}

/** Records a refund or a lost dispute in the history. */
export async function recordClawback(
  query: Query,
  { uuid, clock }: ClawbackParts,
  payment: KnownPayment,
  { fact, what, amount, currency }: { fact: string; what: string; amount: number; currency: string },
): Promise<void> {
  const { userId, livemode, serverId, paymentIntentId } = payment;
  await recordTransaction(query, {
    id: uuid(),
    userId,
    livemode,
    type: 'refund',
    status: 'completed',
    description: `${what}: ${payment.description}`,
    serverId,
    amount,
    tax: await taxOfRefund(query, { paymentIntentId, fact, amount, currency }),
    currency: currency.toUpperCase(),
    paymentIntentId,
    idem: fact,
    at: new Date(clock.now()),
  });
}

/** Returns the returned part of a payment. In another currency the part is unknown, so the whole payment counts. */
export const returnedPart = (payment: KnownPayment, { amount, currency }: { amount: number; currency: string }) => ({
  amount: currency.toUpperCase() === payment.currency ? amount : payment.amount,
});

/**
 * Marks a payment as refunded once all its money was returned; money in another currency counts as all. A payment that is about
 * to be refunded, or that waits for the operator, does not become `completed`.
 */
export async function markRefunded(query: Query, { transactionId, paymentIntentId }: KnownPayment): Promise<void> {
  const isOrder = (status: string) =>
    `exists (select from checkout_orders o where o.payment_intent_id = $2 and o.status = '${status}')`;
  await query(
    `update transactions t set status = case when t.amount <= (
         select coalesce(sum(case when r.currency = t.currency then r.amount else t.amount end), 0) from transactions r
         where r.payment_intent_id = $2 and r.type = 'refund' and r.status = 'completed')
       then 'refunded' when ${isOrder('flagged')} then 'pending' when ${isOrder('returning')} then t.status else 'completed' end
     where t.id = $1 and t.status in ('pending', 'completed', 'refunded')`,
    [transactionId, paymentIntentId],
  );
}
