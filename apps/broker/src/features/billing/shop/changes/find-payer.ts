import type { Query } from '#platform/db/database.ts';

/** Finds the user who pays or paid for a subscription, also for an order that was not fulfilled. */
export async function findPayer(query: Query, providerSubscriptionId: string): Promise<string | undefined> {
  const { rows } = await query<{ user_id: string }>(
    `select user_id from subscriptions where payment_id = $1
     union all select user_id from access_grants where payment_id = $1
     union all select user_id from checkout_orders where subscription_id = $1 limit 1`,
    [providerSubscriptionId],
  );
  return rows[0]?.user_id;
}

/** Finds the provider's customer of a user; undefined where they have never started a payment. */
export async function findCustomer(query: Query, userId: string, livemode: boolean): Promise<string | undefined> {
  const { rows } = await query<{ customer_id: string }>(
    'select customer_id from payment_customers where user_id = $1 and livemode = $2',
    [userId, livemode],
  );
  return rows[0]?.customer_id;
}
