import type { Query } from '#platform/db/database.ts';

/**
 * Notes the balance of a customer at the provider, in minor units: their next invoice is reduced by it where it is negative, and
 * asks for it in addition where it is positive.
 */
export async function noteBalance(
  query: Query,
  { id, balance, currency }: { id: string; balance: number; currency: string },
): Promise<void> {
  await query(
    `update payment_customers set balance = $2, balance_currency = $3
     where customer_id = $1 and (balance, balance_currency) is distinct from ($2, $3)`,
    [id, balance, currency],
  );
}

/** A person's balance at the provider; undefined: there is none. */
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
