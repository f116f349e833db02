import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { startHttpFixture, type HttpFixture } from '#testing/servers/mcp-fixture.ts';
import { startTestApp, withoutHealthChecks } from '#testing/start-app.ts';
import { newBuyer, startShop, type Shop } from './testing/shop.ts';

type Buyer = Awaited<ReturnType<typeof newBuyer>>;

let shop: Shop;
let fixture: HttpFixture;
let buyer: Buyer;
beforeAll(async () => {
  fixture = await startHttpFixture('both');
  shop = await startShop({ allowAddresses: [fixture.address], env: withoutHealthChecks });
  const connection = { type: 'http', url: fixture.url };
  const rental = { price: 900, currency: 'USD' };
  await deployManifest(shop, { id: 'travel', connection, billing: { tier: 'T2', rental } });
  await deployManifest(shop, { id: 'weather', connection, billing: { tier: 'T0', rental } });
  await deployManifest(shop, { id: 'plain', connection, billing: { tier: 'T1' } });
});
beforeEach(async () => {
  buyer = await newBuyer(shop);
});
afterAll(async () => {
  await shop?.stop();
  await fixture?.close();
});

const rental = { type: 'rental', mcpId: 'travel', period: 'monthly' } as const;
const plan = { type: 'subscription', planId: 'pro' } as const;
const credits = { type: 'credit', planId: 'credits-500' } as const;

/** Sends a request that no client of ours sends. */
async function post(path: string, body: object) {
  const answer = await fetch(`${shop.publicUrl}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${buyer.accessToken}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: (await answer.json()) as { code?: string; message?: string } };
}

const sessionAt = (id: string) => shop.stripe.checkout.sessions.retrieve(id, { expand: ['line_items'] });

async function orders(of: Buyer = buyer) {
  const { rows } = await shop.db.query<{ status: string; kind: string; item_id: string }>(
    'select status, kind, item_id from checkout_orders where user_id = $1 order by created_at, id',
    [of.userId],
  );
  return rows;
}

test("[PAY-3] [PAY-6] a rental is started with its server and period, and the answer leads to the provider's page", async () => {
  const { checkoutUrl, sessionId } = await buyer.api.startCheckout({ body: rental });
  expect(checkoutUrl).toBe(`${shop.publicUrl}/dev-stripe/pay/${sessionId}`);
  const session = await sessionAt(sessionId);
  expect(session).toMatchObject({ mode: 'subscription', amount_total: 900, currency: 'usd', status: 'open' });
  expect(session.line_items?.data[0]?.price?.recurring).toMatchObject({ interval: 'month' });
  expect((await fetch(checkoutUrl)).status).toBe(200);
  expect(await orders()).toEqual([{ status: 'open', kind: 'rental', item_id: 'travel' }]);
});

test.each(['subscription', 'credit'])(
  '[PAY-4] a %s without a planId is refused, and no payment is started',
  async (type) => {
    expect(await post('/api/billing/checkout', { type })).toMatchObject({
      status: 400,
      body: { code: 'invalid_request' },
    });
    expect(await orders()).toEqual([]);
  },
);

test.each([
  ['period', 'unsupported_purchase', { type: 'rental', mcpId: 'travel' }],
  ['server', 'invalid_request', { type: 'rental', period: 'monthly' }],
])('[PAY-3] a rental without its %s is refused, and no payment is started', async (_name, code, body) => {
  expect(await post('/api/billing/checkout', body)).toMatchObject({ status: 400, body: { code } });
  expect(await orders()).toEqual([]);
});

test("a payment belongs to the user's own customer at the provider, and has one line item", async () => {
  const other = await newBuyer(shop);
  const customers = new Set<string>();
  for (const { api, email, userId } of [buyer, other]) {
    for (const body of [rental, plan, credits]) {
      const { customer, line_items: items } = await sessionAt((await api.startCheckout({ body })).sessionId);
      const { data } = await shop.stripe.customers.list({ email });
      expect(data).toMatchObject([{ id: customer, metadata: { userId } }]);
      expect(items?.data.map(({ quantity }) => quantity)).toEqual([1]);
      customers.add(String(customer));
    }
  }
  expect(customers.size).toBe(2);
});

test('[PAY-4] a plan and a credit package are started by their id', async () => {
  const ofPlan = await buyer.api.startCheckout({ body: plan });
  expect(await sessionAt(ofPlan.sessionId)).toMatchObject({
    mode: 'subscription',
    amount_total: 1900,
    custom_text: {
      submit: {
        message: 'Renews at $19/month until you cancel. You can cancel at any time in your dashboard, under Billing.',
      },
    },
  });
  const ofCredits = await buyer.api.startCheckout({ body: credits });
  const session = await sessionAt(ofCredits.sessionId);
  expect(session).toMatchObject({ mode: 'payment', amount_total: 500, invoice_creation: { enabled: true } });
  expect(session.metadata).toMatchObject({ userId: buyer.userId, kind: 'credits', itemId: 'credits-500' });
  expect(session.client_reference_id).toBe(session.metadata?.['orderId']);
});

test('[PAY-7] credits are bought at the price of their package', async () => {
  const { packages } = await buyer.api.listCreditPackages();
  const large = packages.find(({ packageId }) => packageId === 'credits-10000');
  if (!large?.stripePriceId) throw new Error('the package has no price');
  const body = {
    stripePriceId: large.stripePriceId,
    successUrl: `${shop.publicUrl}/payment/result`,
    cancelUrl: `${shop.publicUrl}/payment/result?canceled=true`,
  };
  const { sessionId } = await buyer.api.purchaseCredits({ body });
  expect(await sessionAt(sessionId)).toMatchObject({ amount_total: 9900, mode: 'payment' });
});

test('[PAY-2] [PAY-5] the payment leads back to /payment/result, with the session id that the provider fills in', async () => {
  const result = `${shop.publicUrl}/payment/result`;
  const own = await sessionAt((await buyer.api.startCheckout({ body: credits })).sessionId);
  expect(own).toMatchObject({
    success_url: `${result}?session_id={CHECKOUT_SESSION_ID}`,
    cancel_url: `${result}?canceled=true`,
  });
  const sent = {
    successUrl: `${result}?from=plans&session_id={CHECKOUT_SESSION_ID}&success=true`,
    cancelUrl: `${result}?canceled=true`,
  };
  const asked = await buyer.api.startCheckout({ body: { ...plan, ...sent } });
  expect(await sessionAt(asked.sessionId)).toMatchObject({
    success_url: `${result}?from=plans&success=true&session_id={CHECKOUT_SESSION_ID}`,
    cancel_url: sent.cancelUrl,
  });
});

test.each([
  'https://evil.test/payment/result',
  '//evil.test/payment/result',
  String.raw`/\evil.test/payment/result`,
  'javascript:alert(1)',
  'payment/result',
  'OWN/dashboard',
  'OWN/payment/result/../../dashboard',
  'OWN.evil.test/payment/result',
  'http://user@OWNHOST/payment/result',
])('[PAY-5] an address of another origin is refused as a return address: %s', async (address) => {
  const url = address.replace('OWNHOST', new URL(shop.publicUrl).host).replace('OWN', shop.publicUrl);
  for (const name of ['successUrl', 'cancelUrl']) {
    const answer = await post('/api/billing/checkout', { ...credits, [name]: url });
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  }
  expect(await orders()).toEqual([]);
});

test('[PAY-11] the free plan needs no payment', async () => {
  await expect(buyer.api.startCheckout({ body: { ...plan, planId: 'free' } })).rejects.toMatchObject({
    status: 400,
    message: 'Free plan does not require payment',
  });
});

test('[PAY-12] a plan that does not exist is named in the error', async () => {
  for (const type of ['credit', 'subscription'] as const)
    await expect(buyer.api.startCheckout({ body: { type, planId: 'gold' } })).rejects.toMatchObject({
      code: 'plan_not_found',
      message: 'Plan gold not found in credit packages or system subscriptions',
    });
});

test('[PAY-14] another type of purchase, or another period, is not supported', async () => {
  for (const body of [
    { type: 'gift', mcpId: 'travel' },
    { ...rental, period: 'daily' },
  ]) {
    const answer = await post('/api/billing/checkout', body);
    expect(answer).toMatchObject({ status: 400, body: { message: 'Unsupported purchase type' } });
  }
});

test('[ACC-20] permanent access is not sold: only administrators give it', async () => {
  for (const type of ['purchase', 'permanent', 'lifetime']) {
    const answer = await post('/api/billing/checkout', { type, mcpId: 'travel' });
    expect(answer).toMatchObject({ status: 400, body: { code: 'unsupported_purchase' } });
  }
  expect(await orders()).toEqual([]);
});

test.each([
  ['an amount', { ...credits, amount: 1 }],
  ['a price', { ...rental, price: 1 }],
  ['a price of the provider', { ...plan, priceId: 'price_x' }],
  ['another user', { ...credits, userId: 'someone' }],
  ['a plan as a credit package', { type: 'credit', planId: 'pro' }],
  ['a credit package as a plan', { type: 'subscription', planId: 'credits-500' }],
  ['a server that cannot be rented', { ...rental, mcpId: 'plain' }],
])('a request with %s is refused, and no payment is started', async (_name, body) => {
  expect(await post('/api/billing/checkout', body)).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  expect(await orders()).toEqual([]);
});

test('a price that does not belong to a package buys no credits', async () => {
  const { plans } = await buyer.api.listPlans();
  const { priceId: ofPlan } = plans.find(({ planId }) => planId === 'basic') ?? {};
  for (const stripePriceId of [ofPlan, 'price_cheap', '']) {
    const answer = await post('/api/billing/credits/purchase', { stripePriceId });
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  }
  expect(await orders()).toEqual([]);
});

test('a server that does not exist cannot be rented', async () => {
  await expect(buyer.api.startCheckout({ body: { ...rental, mcpId: 'nowhere' } })).rejects.toMatchObject({
    status: 404,
  });
});

test('a price that has changed since is reported, and no payment is started', async () => {
  for (const body of [
    { ...rental, shownAmount: 899 },
    { ...plan, shownAmount: 1 },
    { ...credits, shownAmount: 400 },
  ])
    await expect(buyer.api.startCheckout({ body })).rejects.toMatchObject({ status: 409, code: 'price_changed' });
  expect(await orders()).toEqual([]);
  await buyer.api.startCheckout({ body: { ...rental, shownAmount: 900 } });
});

test('a service that went down since the page was shown is not rented without a confirmation', async () => {
  const health = (status: 'error' | 'connected') =>
    shop.catalogue.setHealth('travel', { status, detail: status === 'error' ? 'Away' : undefined, era: undefined });
  await health('error');
  try {
    await expect(buyer.api.startCheckout({ body: { ...rental, shownDown: false } })).rejects.toMatchObject({
      status: 409,
      code: 'service_down',
    });
    expect(await orders()).toEqual([]);
    await buyer.api.startCheckout({ body: { ...rental, shownDown: true } });
  } finally {
    await health('connected');
  }
});

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000);
const give = (kind: 'rental' | 'purchase' | 'trial', serverId: string, source: string) =>
  shop.db.query(
    `insert into access_grants (id, user_id, livemode, server_id, kind, source, period, started_at, period_ends_at)
     values ($1, $2, false, $3, $4, $5, $6, $7, $8)`,
    [
      randomUUID(),
      buyer.userId,
      serverId,
      kind,
      source,
      kind === 'rental' ? 'monthly' : null,
      inDays(-1),
      kind === 'purchase' ? null : inDays(20),
    ],
  );
const givePlan = (planId: string, source: string, cancelled = false) =>
  shop.db.query(
    `insert into subscriptions (id, user_id, livemode, plan_id, source, payment_id, started_at, period_ends_at, cancelled_at)
     values ($1::uuid, $2, false, $3, $4, $1::uuid::text, $5, $6, $7)`,
    [randomUUID(), buyer.userId, planId, source, inDays(-1), inDays(20), cancelled ? inDays(0) : null],
  );

test('users cannot buy what they already own: the answer says where to manage it', async () => {
  const refused = { status: 409, code: 'has_access', message: expect.stringContaining(`${shop.publicUrl}/dashboard`) };
  await give('rental', 'travel', 'administrator');
  await expect(buyer.api.startCheckout({ body: rental })).rejects.toMatchObject(refused);
  await give('purchase', 'weather', 'administrator');
  await expect(buyer.api.startCheckout({ body: { ...rental, mcpId: 'weather' } })).rejects.toMatchObject(refused);
  await givePlan('basic', 'payment');
  // nor a higher plan: a paid plan is changed, not bought twice
  for (const planId of ['basic', 'pro'])
    await expect(buyer.api.startCheckout({ body: { ...plan, planId } })).rejects.toMatchObject(refused);
  expect(await orders()).toEqual([]);
  await buyer.api.startCheckout({ body: credits });
});

test('a trial, a free server and a plan that is about to end do not prevent a rental; a plan that renews does', async () => {
  await give('trial', 'travel', 'person');
  await buyer.api.startCheckout({ body: rental });
  await buyer.api.startCheckout({ body: { ...rental, mcpId: 'weather' } });
  buyer = await newBuyer(shop);
  await givePlan('pro', 'payment', true);
  await buyer.api.startCheckout({ body: rental });
  buyer = await newBuyer(shop);
  await givePlan('pro', 'administrator');
  await expect(buyer.api.startCheckout({ body: rental })).rejects.toMatchObject({ code: 'has_access' });
  await expect(buyer.api.startCheckout({ body: plan })).rejects.toMatchObject({ code: 'has_access' });
  await give('trial', 'travel', 'person');
  await expect(buyer.api.startCheckout({ body: rental }), 'nor alongside a trial').rejects.toMatchObject({
    code: 'has_access',
    message: expect.stringContaining('Your Pro plan includes travel already.'),
  });
  await buyer.api.startCheckout({ body: { ...plan, planId: 'enterprise' } });
});

test("another user's payment is not found", async () => {
  const { sessionId } = await buyer.api.startCheckout({ body: credits });
  const other = await newBuyer(shop);
  await expect(other.session(sessionId)).rejects.toMatchObject({ status: 404 });
  await expect(buyer.session('cs_test_unknown')).rejects.toMatchObject({ status: 404 });
  await expect(buyer.session('cs_test_\0')).rejects.toMatchObject({ status: 400, code: 'invalid_request' });
});

test('if nothing is sold, nothing can be bought', async () => {
  const closed = await startTestApp({ env: { PAYMENTS: 'off' } });
  try {
    const person = await newBuyer(closed);
    for (const body of [rental, plan, credits])
      await expect(person.api.startCheckout({ body })).rejects.toMatchObject({ code: 'payments_off', status: 404 });
    await expect(person.api.purchaseCredits({ body: { stripePriceId: 'price_x' } })).rejects.toMatchObject({
      code: 'payments_off',
    });
    await expect(person.session('cs_test_x')).rejects.toMatchObject({ status: 404 });
    expect((await fetch(`${closed.publicUrl}/api/webhooks/stripe`, { method: 'POST', body: '{}' })).status).toBe(404);
  } finally {
    await closed.stop();
  }
});
