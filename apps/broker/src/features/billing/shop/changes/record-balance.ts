import type { Query } from '#platform/db/database.ts';

/** Stores a customer's balance at the provider, in minor units: negative reduces their next invoice, positive is added to it. */
export async function recordBalance(
  query: Query,
  { id, balance, currency }: { id: string; balance: number; currency: string },
): Promise<void> {
  await query(
    `update payment_customers set balance = $2, balance_currency = $3
     where customer_id = $1 and (balance, balance_currency) is distinct from ($2, $3)`,
    [id, balance, currency],
  );
}

/** Reads a user's balance at the provider; undefined where it is 0. */
export async function readBalance(
  query: Query,
  userId: string,
  livemode: boolean,
): Promise<{ amount: number; currency: string } | undefined> {
  const { rows } = await query<{ balance: number; balance_currency: string | null }>(
    'select balance, balance_currency from payment_customers where user_id = $1 and livemode = $2 and balance <> 0',
    [userId, livemode],
  );
  const [row] = rows;
  return row && { amount: row.balance, currency: row.balance_currency ?? 'USD' };
}
