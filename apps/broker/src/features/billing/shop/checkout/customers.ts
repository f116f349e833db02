import { createHash } from 'node:crypto';
import { makeOnce, isRefusal, type PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import type { Query } from '#platform/db/database.ts';
import { patience } from './patience.ts';

/** People as the payment provider knows them. */
export type Customers = {
  /** The customer of a person; made there when there is none. Two requests at once get the same one. */
  ensure(userId: string, email: string | undefined): Promise<string>;
  /** The provider has deleted a customer: the person gets another one. */
  replace(userId: string, deleted: string, email: string | undefined): Promise<string>;
  /** undefined: this person has never begun a payment. */
  find(userId: string): Promise<string | undefined>;
  /** Tells the provider of addresses that have changed since it was last told. */
  tellAddresses(): Promise<void>;
};

/** Addresses that one run tells; the next one goes on. */
const pageSize = 100;

export function createCustomers({ query, provider }: { query: Query; provider: PaymentProvider }): Customers {
  const { livemode } = provider;

  async function find(userId: string): Promise<string | undefined> {
    const { rows } = await query<{ customer_id: string }>(
      'select customer_id from payment_customers where user_id = $1 and livemode = $2',
      [userId, livemode],
    );
    return rows[0]?.customer_id;
  }

  /** @param instead the customer that this one takes the place of */
  async function make(userId: string, email: string | undefined, instead = ''): Promise<string> {
    const given = { ...(email !== undefined && { email }), metadata: { userId } };
    // the same key for the same request: the provider then answers the customer that it has made
    const digest = createHash('sha256').update(JSON.stringify(given)).digest('hex').slice(0, 16);
    const { id } = await makeOnce(
      provider,
      `customer:${userId}:${digest}${instead && `:${instead}`}`,
      (stripe, idempotencyKey) => stripe.customers.create(given, { ...patience, idempotencyKey }),
      () => findMade(userId, email, instead),
    );
    return id;
  }

  async function findMade(userId: string, email: string | undefined, instead: string) {
    if (email === undefined) return undefined;
    const { data } = await provider.call((stripe) => stripe.customers.list({ email, limit: 100 }, patience));
    return data.find(({ id, metadata }) => metadata['userId'] === userId && id !== instead);
  }

  return {
    find,
    async ensure(userId, email) {
      const known = await find(userId);
      if (known !== undefined) return known;
      const id = await make(userId, email);
      await query(
        `insert into payment_customers (user_id, livemode, customer_id, email) values ($1, $2, $3, $4)
         on conflict do nothing`,
        [userId, livemode, id, email ?? null],
      );
      return (await find(userId)) ?? id;
    },
    async replace(userId, deleted, email) {
      const id = await make(userId, email, deleted);
      await query(
        `update payment_customers set customer_id = $4, email = $5, card_id = null
         where user_id = $1 and livemode = $2 and customer_id = $3`,
        [userId, livemode, deleted, id, email ?? null],
      );
      return (await find(userId)) ?? id;
    },
    async tellAddresses() {
      const { rows } = await query<{ customer_id: string; email: string }>(
        `select c.customer_id, u.email from payment_customers c join users u on u.id = c.user_id
         where c.livemode = $1 and u.deleted_at is null and c.email is distinct from u.email
         order by c.customer_id limit $2`,
        [livemode, pageSize],
      );
      for (const { customer_id: id, email } of rows) {
        try {
          await provider.call((stripe) => stripe.customers.update(id, { email }));
        } catch (error) {
          // one that was deleted there, which the next purchase replaces
          if (!isRefusal(error)) throw error;
        }
        await query('update payment_customers set email = $2 where customer_id = $1', [id, email]);
      }
    },
  };
}
