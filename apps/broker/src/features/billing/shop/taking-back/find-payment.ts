import type { Query } from '#platform/db/database.ts';

/** A payment that is in the history, and the credits that it brought. */
export type KnownPayment = {
  userId: string;
  livemode: boolean;
  transactionId: string;
  /** Of the provider. */
  paymentIntentId: string;
  description: string;
  serverId: string | undefined;
  amount: number;
  currency: string;
  /** The key of the grant in the ledger; it may have granted nothing. */
  grant: string;
  granted: number;
  /** Of the provider, where the payment was for one. */
  subscriptionId: string | undefined;
};

type PaymentRow = {
  user_id: string;
  livemode: boolean;
  id: string;
  description: string;
  server_id: string | null;
  amount: number;
  currency: string;
  grant: string;
  granted: number | null;
  payment_id: string | null;
};

/** What a payment of the provider was for; undefined where the history does not have it. */
export async function findPayment(query: Query, paymentIntentId: string): Promise<KnownPayment | undefined> {
  const { rows } = await query<PaymentRow>(
    `select t.user_id, t.livemode, t.id, t.description, t.server_id, t.amount, t.currency, g.grant, l.granted, i.payment_id
     from transactions t
       left join subscription_invoices i on i.invoice_id = t.invoice_id
       cross join lateral (
         select case when i.invoice_id is null then t.idem else 'invoice:' || i.invoice_id end as grant) g
       left join credit_lots l on l.idem = g.grant
     where t.payment_intent_id = $1 and t.type <> 'refund' limit 1`,
    [paymentIntentId],
  );
  const [row] = rows;
  return (
    row && {
      userId: row.user_id,
      livemode: row.livemode,
      transactionId: row.id,
      paymentIntentId,
      description: row.description,
      serverId: row.server_id ?? undefined,
      amount: row.amount,
      currency: row.currency,
      grant: row.grant,
      granted: row.granted ?? 0,
      subscriptionId: row.payment_id ?? undefined,
    }
  );
}

/** What a customer of the provider has here that may not be recorded yet. */
export async function findUnrecorded(
  query: Query,
  customerId: string,
): Promise<{ hasOpenOrders: boolean; subscriptionIds: string[] }> {
  const { rows } = await query<{ has_open: boolean; payment_ids: string[] }>(
    `select
       exists (select from checkout_orders o where o.user_id = c.user_id and o.livemode = c.livemode
         and o.status in ('open', 'paid')) as has_open,
       coalesce((select jsonb_agg(payment_id) from (
           select payment_id, user_id, livemode from subscriptions where ended_at is null
           union all select payment_id, user_id, livemode from access_grants where ended_at is null) as owned
         where owned.user_id = c.user_id and owned.livemode = c.livemode and payment_id is not null), '[]') as payment_ids
     from payment_customers c where c.customer_id = $1`,
    [customerId],
  );
  return { hasOpenOrders: rows[0]?.has_open ?? false, subscriptionIds: rows[0]?.payment_ids ?? [] };
}
