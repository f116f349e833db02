import { createHash } from 'node:crypto';
import { isRefusal, makeOnce } from '#adapters/stripe/stripe-client.ts';
import { findCustomer } from '../changes/find-payer.ts';
import type { ShopParts } from '../shop-parts.ts';
import { patience } from './patience.ts';

export type Customers = {
  /** Returns the customer of a user, creating it at the provider if there is none. Two concurrent requests get the same one. */
  ensure(userId: string, email: string | undefined): Promise<string>;
  /** Replaces a customer that the provider has deleted. */
  replace(userId: string, deleted: string, email: string | undefined): Promise<string>;
  /** undefined: this user has never started a payment. */
  find(userId: string): Promise<string | undefined>;
  /** Sends the provider the e-mail addresses of users that have changed. */
  sendAddresses(): Promise<void>;
};

/** Addresses that one run sends; the next run continues. */
const pageSize = 100;

export function createCustomers({ db: { query }, provider }: Pick<ShopParts, 'db' | 'provider'>): Customers {
  const { livemode } = provider;

  const find = (userId: string) => findCustomer(query, userId, livemode);

  /** @param replaced the customer that this one replaces */
  async function make(userId: string, email: string | undefined, replaced = ''): Promise<string> {
    const params = { ...(email !== undefined && { email }), metadata: { userId } };
    // the same key for the same request, so that the provider answers with the customer that it already made
    const digest = createHash('sha256').update(JSON.stringify(params)).digest('hex').slice(0, 16);
    const { id } = await makeOnce(
      provider,
      `customer:${userId}:${digest}${replaced && `:${replaced}`}`,
      (stripe, idempotencyKey) => stripe.customers.create(params, { ...patience, idempotencyKey }),
      () => findMade(userId, email, replaced),
    );
    return id;
  }

  async function findMade(userId: string, email: string | undefined, replaced: string) {
    if (email === undefined) return undefined;
    const { data } = await provider.call((stripe) => stripe.customers.list({ email, limit: 100 }, patience));
    return data.find(({ id, metadata }) => metadata['userId'] === userId && id !== replaced);
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
    async sendAddresses() {
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
          // it was deleted there; the next purchase replaces it
          if (!isRefusal(error)) throw error;
        }
        await query('update payment_customers set email = $2 where customer_id = $1', [id, email]);
      }
    },
  };
}
