/**
 * The refunded and pending amounts of a payment `t` of the history, in minor units of its currency. A refund that we requested
 * is in the history once its event arrives, and pending until then.
 * Columns: refunded, pending.
 */
export const refundedSql = `
  select
    (select coalesce(sum(case when r.currency = t.currency then r.amount else t.amount end), 0)::bigint from transactions r
      where r.payment_intent_id = t.payment_intent_id and r.type = 'refund' and r.status = 'completed') as refunded,
    (select coalesce(sum((p->>'amount')::bigint), 0)::bigint
      from access_refunds a cross join lateral jsonb_array_elements(a.payments) p
      where a.user_id = t.user_id and a.livemode = t.livemode and p->>'paymentIntentId' = t.payment_intent_id
        and (a.state = 'wanted' or (a.state = 'refunded' and p ? 'refundId'))
        and not exists (select from transactions r where r.idem = 'refund:' || (p->>'refundId'))) as pending`;
