import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { newBuyer, startShop, type Shop } from '../testing/shop.ts';

let shop: Shop;
let buyer: Awaited<ReturnType<typeof newBuyer>>;
beforeAll(async () => {
  shop = await startShop();
});
beforeEach(async () => {
  buyer = await newBuyer(shop);
});
afterAll(() => shop?.stop());

const plan = { type: 'subscription', planId: 'pro' } as const;
const credits = { type: 'credit', planId: 'credits-500' } as const;

const sessionAt = (id: string) => shop.stripe.checkout.sessions.retrieve(id);

async function orders() {
  const { rows } = await shop.db.query<{ status: string }>(
    'select status from checkout_orders where user_id = $1 order by created_at, id',
    [buyer.userId],
  );
  return rows;
}

test('several clicks on the same button lead to one page, also concurrently', async () => {
  const started = await Promise.all([1, 2, 3].map(() => buyer.api.startCheckout({ body: credits })));
  const again = await buyer.api.startCheckout({ body: credits });
  expect(new Set([...started, again].map(({ sessionId }) => sessionId)).size).toBe(1);
  expect(await orders()).toHaveLength(1);
  const other = await buyer.api.startCheckout({ body: { ...credits, planId: 'credits-2000' } });
  expect(other.sessionId).not.toBe(again.sessionId);
});

test('a page that is about to expire or has an old price is closed, and a new one opened', async () => {
  const first = await buyer.api.startCheckout({ body: credits });
  await shop.db.query(`update checkout_orders set price_id = 'price_old' where session_id = $1`, [first.sessionId]);
  const second = await buyer.api.startCheckout({ body: credits });
  expect((await sessionAt(first.sessionId)).status).toBe('expired');
  expect((await sessionAt(second.sessionId)).status).toBe('open');
  await shop.db.query(`update checkout_orders set expires_at = now() + interval '4 minutes' where session_id = $1`, [
    second.sessionId,
  ]);
  const third = await buyer.api.startCheckout({ body: credits });
  expect((await sessionAt(second.sessionId)).status).toBe('expired');
  expect((await orders()).map(({ status }) => status)).toEqual(['expired', 'expired', 'open']);
  expect(await buyer.session(third.sessionId)).toMatchObject({ status: 'open' });
});

test('a user has at most 20 open payments', async () => {
  await shop.db.query(
    `insert into checkout_orders (id, user_id, livemode, kind, item_id, description, price_id, amount, currency, credits,
       success_url, cancel_url, created_at, expires_at)
     select gen_random_uuid(), $1, false, 'rental', 'server-' || n, 'x', 'x', 1, 'USD', 0, 'x', 'x', now(),
       now() + interval '1 hour' from generate_series(1, 20) n`,
    [buyer.userId],
  );
  await expect(buyer.api.startCheckout({ body: credits })).rejects.toMatchObject({ status: 429, code: 'rate_limited' });
});

test('two payments of one user belong to one customer, also if both are the first', async () => {
  const two = await Promise.all([buyer.api.startCheckout({ body: credits }), buyer.api.startCheckout({ body: plan })]);
  const sessions = await Promise.all(two.map(({ sessionId }) => sessionAt(sessionId)));
  const customers = new Set(sessions.map(({ customer }) => String(customer)));
  expect(customers.size).toBe(1);
  const [customer = ''] = customers;
  expect(await shop.stripe.customers.retrieve(customer)).toMatchObject({ email: buyer.email });
});

test('while the provider is unreachable the answer is a clear 503, and a retry continues the same order', async () => {
  await buyer.api.startCheckout({ body: plan });
  const refused = {
    status: 503,
    code: 'payments_unavailable',
    message: expect.stringContaining('Nothing was charged'),
  };
  await shop.network.stop();
  await expect(buyer.api.startCheckout({ body: credits })).rejects.toMatchObject(refused);
  expect(await orders()).toHaveLength(2);
  await shop.network.resume();
  const { sessionId } = await buyer.api.startCheckout({ body: credits });
  expect(await orders()).toHaveLength(2);
  expect((await sessionAt(sessionId)).status).toBe('open');
});
