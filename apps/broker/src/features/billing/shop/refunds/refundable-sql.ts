import { keepsMoneySql } from '../needs/dispute-of-payment.ts';

/**
 * What can be paid back of a subscription that is used until a moment, for each of its paid invoices: the part of what was paid
 * that falls on the time that is left, in minor units, rounded down. Never more than was paid and has not gone back yet.
 * Columns: invoice_id, payment_intent_id, currency, amount (never negative), disputed: the provider refuses to pay it back.
 * @param paymentId of the provider, and the moment, as expressions of the statement
 */
const refundableSql = (paymentId: string, usedUntil: string): string => `
  select i.invoice_id, i.payment_intent_id, i.currency, greatest(0, least(
      floor(i.amount * extract(epoch from i.covers_to - greatest(${usedUntil}::timestamptz, i.covers_from))
        / extract(epoch from i.covers_to - i.covers_from)),
      i.amount - (select coalesce(sum(r.amount), 0) from transactions r
        where r.payment_intent_id = i.payment_intent_id and r.type = 'refund' and r.status = 'completed')))::bigint as amount,
    ${keepsMoneySql('i.payment_intent_id')} as disputed
  from subscription_invoices i
  where i.payment_id = ${paymentId} and i.amount > 0 and i.payment_intent_id is not null
    and i.covers_to > greatest(${usedUntil}::timestamptz, i.covers_from)`;

/** Each payment that has something to pay back, the oldest first. */
export const refundablePaymentsSql = (paymentId: string, usedUntil: string): string =>
  `select * from (${refundableSql(paymentId, usedUntil)}) refundable where amount > 0 order by invoice_id`;

/**
 * All of it that is not disputed: one row with `refund_amount`, `refund_currency` and `refund_disputed`, whether a dispute keeps
 * some or all of it from being paid back. No row where nothing was paid for the time that is left.
 */
export const refundSumSql = (paymentId: string, usedUntil: string): string =>
  `select (sum(amount) filter (where not disputed))::bigint as refund_amount,
     min(currency) filter (where not disputed) as refund_currency, bool_or(disputed and amount > 0) as refund_disputed
   from (${refundableSql(paymentId, usedUntil)}) refundable having sum(amount) > 0`;

/** Columns of `refundSumSql` joined with `left join lateral`. */
export type RefundColumns = {
  refund_amount: number | null;
  refund_currency: string | null;
  refund_disputed: boolean | null;
};

/** Money, as the contract has it. null: nothing was paid, all of it went back, or is disputed. */
export type RefundOffer = { refund: { amountCents: number; currency: string } | null; isDisputed: boolean };

export const presentRefund = ({
  refund_amount: amount,
  refund_currency: currency,
  refund_disputed: disputed,
}: RefundColumns): RefundOffer => ({
  refund: amount === null || amount === 0 || currency === null ? null : { amountCents: amount, currency },
  isDisputed: disputed ?? false,
});
