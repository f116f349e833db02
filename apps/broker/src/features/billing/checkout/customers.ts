import { createHash } from 'node:crypto';
import type { PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import type { Query } from '#platform/db/database.ts';
import { patience } from './patience.ts';

/** People as the payment provider knows them. */
export type Customers = {
  /** The customer of a person; made there when there is none. Two requests at once get the same one. */
  ensure(userId: string, email: string | undefined): Promise<string>;
  /** undefined: this person has never begun a payment. */
  find(userId: string): Promise<string | undefined>;
};

export function createCustomers({ query, provider }: { query: Query; provider: PaymentProvider }): Customers {
  const { livemode } = provider;

  async function find(userId: string): Promise<string | undefined> {
    const { rows } = await query<{ customer_id: string }>(
      'select customer_id from payment_customers where user_id = $1 and livemode = $2',
      [userId, livemode],
    );
    return rows[0]?.customer_id;
  }

  return {
    find,
    async ensure(userId, email) {
      const known = await find(userId);
      if (known !== undefined) return known;
      const given = { ...(email !== undefined && { email }), metadata: { userId } };
      // the same key for the same request: the provider then answers the customer that it has made
      const digest = createHash('sha256').update(JSON.stringify(given)).digest('hex').slice(0, 16);
      const { id } = await provider.call((stripe) =>
        stripe.customers.create(given, { ...patience, idempotencyKey: `customer:${userId}:${digest}` }),
      );
      await query(
        'insert into payment_customers (user_id, livemode, customer_id) values ($1, $2, $3) on conflict do nothing',
        [userId, livemode, id],
      );
      return (await find(userId)) ?? id;
    },
  };
}
