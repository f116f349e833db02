import type { Query } from '#platform/db/database.ts';
import { readRow } from '../../read-rows.ts';

/** A payment of the history, with the credits that it brought. */
export type KnownPayment = {
  userId: string;
  livemode: boolean;
  transactionId: string;
  paymentIntentId: string;
  description: string;
  serverId: string | undefined;
  amount: number;
  currency: string;
  /** Key of its grant in the ledger, which may not exist. */
  grant: string;
  granted: number;
  /** The provider's subscription, where the payment was for one. */
  subscriptionId: string | undefined;
};

/** Finds what a payment of the provider was for; undefined where the history does not have it. */
export function findPayment(query: Query, paymentIntentId: string): Promise<KnownPayment | undefined> {
  return readRow(
    query,
    `select t.user_id as "userId", t.livemode, t.id as "transactionId", t.payment_intent_id as "paymentIntentId", t.description,
       t.server_id as "serverId", t.amount, t.currency, g.grant, coalesce(l.granted, 0) as granted, i.payment_id as "subscriptionId"
     from transactions t
       left join subscription_invoices i on i.invoice_id = t.invoice_id
       cross join lateral (
         select case when i.invoice_id is null then t.idem else 'invoice:' || i.invoice_id end as grant) g
       left join credit_lots l on l.idem = g.grant
     where t.payment_intent_id = $1 and t.type <> 'refund' limit 1`,
    [paymentIntentId],
  );
}

/** Finds orders and subscriptions of a customer of the provider whose payments may not be recorded yet. */
export async function findUnrecorded(
  query: Query,
  customerId: string,
): Promise<{ hasOpenOrders: boolean; subscriptionIds: string[] }> {
  const found = await readRow<{ hasOpenOrders: boolean; subscriptionIds: string[] }>(
    query,
    `select
       exists (select from checkout_orders o where o.user_id = c.user_id and o.livemode = c.livemode
         and o.status in ('open', 'paid')) as "hasOpenOrders",
       coalesce((select jsonb_agg(payment_id) from (
           select payment_id, user_id, livemode from subscriptions where ended_at is null
           union all select payment_id, user_id, livemode from access_grants where ended_at is null) as owned
         where owned.user_id = c.user_id and owned.livemode = c.livemode and payment_id is not null), '[]') as "subscriptionIds"
     from payment_customers c where c.customer_id = $1`,
    [customerId],
  );
  return found ?? { hasOpenOrders: false, subscriptionIds: [] };
}
