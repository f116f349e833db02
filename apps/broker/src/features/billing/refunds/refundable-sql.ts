/**
 * What can be paid back of a subscription that is used until a moment, for each of its paid invoices: the part of what was paid
 * that falls on the time that is left, in minor units, rounded down. Never more than was paid and has not gone back yet.
 * Columns: invoice_id, payment_intent_id, currency, amount (never negative).
 * @param paymentId of the provider, and the moment, as expressions of the statement
 */
const refundableSql = (paymentId: string, usedUntil: string): string => `
  select i.invoice_id, i.payment_intent_id, i.currency, greatest(0, least(
      floor(i.amount * extract(epoch from i.covers_to - greatest(${usedUntil}::timestamptz, i.covers_from))
        / extract(epoch from i.covers_to - i.covers_from)),
      i.amount - (select coalesce(sum(r.amount), 0) from transactions r
        where r.payment_intent_id = i.payment_intent_id and r.type = 'refund' and r.status = 'completed')))::bigint as amount
  from subscription_invoices i
  where i.payment_id = ${paymentId} and i.amount > 0 and i.payment_intent_id is not null
    and i.covers_to > greatest(${usedUntil}::timestamptz, i.covers_from)`;

/** Each payment that has something to pay back, the oldest first. */
export const refundablePaymentsSql = (paymentId: string, usedUntil: string): string =>
  `select * from (${refundableSql(paymentId, usedUntil)}) refundable where amount > 0 order by invoice_id`;

/** All of it: one row with `refund_amount` and `refund_currency`, or none where nothing can be paid back. */
export const refundSumSql = (paymentId: string, usedUntil: string): string =>
  `select sum(amount)::bigint as refund_amount, min(currency) as refund_currency
   from (${refundableSql(paymentId, usedUntil)}) refundable having sum(amount) > 0`;

/** Columns of `refundSumSql` joined with `left join lateral`. */
export type RefundColumns = { refund_amount: number | null; refund_currency: string | null };

/** Money, as the contract has it. null: nothing was paid, or all of it went back. */
export type RefundSum = { amountCents: number; currency: string } | null;

export const presentRefund = ({ refund_amount: amount, refund_currency: currency }: RefundColumns): RefundSum =>
  amount === null || currency === null ? null : { amountCents: amount, currency };
