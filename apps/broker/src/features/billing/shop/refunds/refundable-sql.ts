/** Whether a dispute keeps the money of a payment (as `keepsMoney` of needs/dispute-of-payment.ts). @param intent its id, as SQL */
const keepsMoneySql = (intent: string): string => `exists (select from disputes d
  where d.payment_intent_id = ${intent}
    and d.status not in ('won', 'prevented', 'warning_closed', 'warning_under_review', 'warning_needs_response'))`;

/**
 * The refundable part of each paid invoice of a subscription that is used until a moment: the price of the remaining time, in
 * minor units, rounded down. Never more than was paid and is not refunded yet.
 * Columns: invoice_id, payment_intent_id, currency, amount (never negative), disputed: the provider refuses the refund.
 * @param providerSubscriptionId the provider's id of the subscription, as SQL, like the moment
 */
const refundableSql = (providerSubscriptionId: string, usedUntil: string): string => `
  select i.invoice_id, i.payment_intent_id, i.currency, greatest(0, least(
      floor(i.amount * extract(epoch from i.covers_to - greatest(${usedUntil}::timestamptz, i.covers_from))
        / extract(epoch from i.covers_to - i.covers_from)),
      i.amount - (select coalesce(sum(r.amount), 0) from transactions r
        where r.payment_intent_id = i.payment_intent_id and r.type = 'refund' and r.status = 'completed')))::bigint as amount,
    ${keepsMoneySql('i.payment_intent_id')} as disputed
  from subscription_invoices i
  where i.payment_id = ${providerSubscriptionId} and i.amount > 0 and i.payment_intent_id is not null
    and i.covers_to > greatest(${usedUntil}::timestamptz, i.covers_from)`;

/** Each payment with something to refund, the oldest first. */
export const refundablePaymentsSql = (providerSubscriptionId: string, usedUntil: string): string =>
  `select invoice_id as "invoiceId", payment_intent_id as "paymentIntentId", amount, disputed
   from (${refundableSql(providerSubscriptionId, usedUntil)}) refundable where amount > 0 order by invoice_id`;

/**
 * The sum of what is refundable and not disputed: one row with `refund_amount`, `refund_currency` and `refund_disputed`
 * (whether a dispute keeps some or all of it). No row where nothing was paid for the remaining time.
 */
export const refundSumSql = (providerSubscriptionId: string, usedUntil: string): string =>
  `select (sum(amount) filter (where not disputed))::bigint as refund_amount,
     min(currency) filter (where not disputed) as refund_currency, bool_or(disputed and amount > 0) as refund_disputed
   from (${refundableSql(providerSubscriptionId, usedUntil)}) refundable having sum(amount) > 0`;

/** Columns of `refundSumSql` joined with `left join lateral`. */
export type RefundColumns = {
  refund_amount: number | null;
  refund_currency: string | null;
  refund_disputed: boolean | null;
};

/** The refundable amount, in the contract's form. null: nothing was paid, or all of it is refunded or disputed. */
export type RefundOffer = { refund: { amountCents: number; currency: string } | null; isDisputed: boolean };

export const presentRefund = ({
  refund_amount: amount,
  refund_currency: currency,
  refund_disputed: disputed,
}: RefundColumns): RefundOffer => ({
  refund: amount === null || amount === 0 || currency === null ? null : { amountCents: amount, currency },
  isDisputed: disputed ?? false,
});
