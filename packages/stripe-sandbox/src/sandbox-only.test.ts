import type { Stripe } from 'stripe';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { payOnPage } from './testing/pay-on-page.ts';
import { startTestSandbox, testKey, type TestSandbox } from './testing/start-test-sandbox.ts';

let sandbox: TestSandbox;
let stripe: Stripe;
beforeAll(async () => {
  sandbox = await startTestSandbox();
  ({ stripe } = sandbox);
});
afterAll(() => sandbox.stop());

const raw = (path: string, init: { method?: string; body?: string; headers?: Record<string, string> } = {}) =>
  fetch(`${sandbox.origin}${path}`, { ...init, headers: { authorization: `Bearer ${testKey}`, ...init.headers } });

const monthly = async () => {
  const product = await stripe.products.create({ name: 'Notes' });
  return stripe.prices.create({
    product: product.id,
    currency: 'usd',
    unit_amount: 500,
    recurring: { interval: 'month' },
  });
};

/** Subscribes with this card on a test clock, and pays on the page. */
async function subscribe(card: string, { start, priceId }: { start: number; priceId?: string }) {
  const clock = await stripe.testHelpers.testClocks.create({ frozen_time: start });
  const customer = await stripe.customers.create({ test_clock: clock.id });
  const session = await stripe.checkout.sessions.create({
    mode: 'subscription',
    customer: customer.id,
    line_items: [{ price: priceId ?? (await monthly()).id, quantity: 1 }],
    success_url: `${sandbox.origin}/done`,
  });
  await payOnPage(session.url ?? '', card);
  const { subscription } = await stripe.checkout.sessions.retrieve(session.id);
  const id = String(subscription);
  return {
    id,
    read: () => stripe.subscriptions.retrieve(id, { expand: ['latest_invoice'] }),
    advanceTo: (to: number) => stripe.testHelpers.testClocks.advance(clock.id, { frozen_time: to }),
  };
}

test('only the key of the sandbox is accepted, and a real one causes a warning', async () => {
  const ask = (key: string) => raw('/v1/customers', { headers: { authorization: `Bearer ${key}` } });
  expect((await ask('sk_test_sandbox_other')).status).toBe(401);
  const real = await ask('sk_live_51abcdef');
  expect(real.status).toBe(401);
  const text = await real.text();
  expect(text).toContain('must never see a real one');
  expect(text).not.toContain('51abcdef');
});

test('an endpoint that is not implemented is a 404 that names it, in the form of an error', async () => {
  await expect(stripe.coupons.list()).rejects.toMatchObject({
    statusCode: 404,
    type: 'StripeInvalidRequestError',
    message: expect.stringMatching(/GET: \/v1\/coupons.*sandbox does not implement/),
  });
});

test('a parameter that Stripe knows and the sandbox does not is named', async () => {
  await expect(stripe.customers.create({ phone: '1' })).rejects.toMatchObject({
    code: 'parameter_unknown',
    param: 'phone',
    message: expect.stringContaining('the sandbox does not implement it'),
  });
});

test('another version of the API is refused', async () => {
  const answer = await raw('/v1/customers', { headers: { 'stripe-version': '2020-08-27' } });
  expect(answer.status).toBe(400);
  expect(await answer.text()).toContain('supports only 2026-10-28.endive');
});

test('bodies and parameters are limited, and their names are treated only as names', async () => {
  const post = (body: string) => raw('/v1/customers', { method: 'POST', body });
  expect((await post(`name=${'x'.repeat(70_000)}`)).status).toBe(413);
  expect((await post(Array.from({ length: 501 }, (_, i) => `a${i}=1`).join('&'))).status).toBe(400);
  expect((await post('a[b][c][d][e][f][g]=1')).status).toBe(400);
  expect((await post('name=%00')).status).toBe(400);
  const answer = await post('metadata[__proto__]=x&metadata[0]=zero&name=%C3%BC');
  expect(await answer.json()).toMatchObject({ metadata: { '0': 'zero' }, name: 'ü' });
  expect((await post('__proto__[x]=1')).status).toBe(400);
  expect((await raw('/v1/customers?limit=101')).status).toBe(400);
  expect(sandbox.errors).toEqual([]);
});

test('a failing card is charged again after 3, 5 and 7 days; then the subscription ends', async () => {
  const start = Date.UTC(2027, 0, 15) / 1000;
  const { read, advanceTo } = await subscribe('4000000000000341', { start });
  const end = (await read()).items.data[0]?.current_period_end ?? 0;
  const day = 86_400;
  const seen: unknown[] = [];
  for (const days of [0.5, 3.5, 8.5, 15.5]) {
    await advanceTo(end + days * day);
    const { status, latest_invoice: invoice, cancellation_details: why } = await read();
    const attempts = typeof invoice === 'object' ? invoice?.attempt_count : undefined;
    seen.push([status, attempts, why?.reason]);
  }
  expect(seen).toEqual([
    ['past_due', 1, null],
    ['past_due', 2, null],
    ['past_due', 3, null],
    ['canceled', 4, 'payment_failed'],
  ]);
});

test.each([
  ['is not the default afterwards, as with a new account of Stripe', 'off', 'past_due'],
  ['is the default afterwards if the subscription saves it', 'on_subscription', 'active'],
] as const)(
  'an open invoice that is paid on its page reactivates the subscription; its card %s',
  async (_what, saves, then) => {
    const start = Date.UTC(2027, 0, 15) / 1000;
    const { id, read, advanceTo } = await subscribe('4000000000000341', { start });
    await stripe.subscriptions.update(id, { payment_settings: { save_default_payment_method: saves } });
    const end = (await read()).items.data[0]?.current_period_end ?? 0;
    await advanceTo(end + 7_200);
    const failed = await read();
    const invoice = failed.latest_invoice;
    if (typeof invoice !== 'object' || !invoice?.hosted_invoice_url) throw new Error('there is no invoice page');
    const refused = await payOnPage(invoice.hosted_invoice_url, '4000000000000002');
    expect(refused.status).toBe(402);
    expect(refused.text).toContain(`<a class="cancel" href="${sandbox.origin}">Go back without paying</a>`);
    expect((await payOnPage(invoice.hosted_invoice_url, '4242424242424242')).status).toBe(303);
    expect(await read()).toMatchObject({ status: 'active', latest_invoice: { status: 'paid', attempt_count: 1 } });
    const next = (await read()).items.data[0]?.current_period_end ?? 0;
    await advanceTo(next + 7_200);
    expect(await read()).toMatchObject({ status: then });
  },
);

test('a clock advances at most two intervals of a subscription, and never backwards', async () => {
  const start = Date.UTC(2027, 0, 31) / 1000;
  const { id, advanceTo } = await subscribe('4242424242424242', { start });
  await expect(advanceTo(start - 1)).rejects.toMatchObject({ statusCode: 400 });
  await expect(advanceTo(Date.UTC(2027, 3, 1) / 1000)).rejects.toMatchObject({ statusCode: 400 });
  await advanceTo(Date.UTC(2027, 2, 30) / 1000);
  const { items } = await stripe.subscriptions.retrieve(id);
  // January 31, the last day of February, March 31
  expect(items.data[0]?.current_period_start).toBe(Date.UTC(2027, 1, 28) / 1000);
  expect(items.data[0]?.current_period_end).toBe(Date.UTC(2027, 2, 31) / 1000);
});

test('an immediately prorated downgrade leaves a credit, which the next invoice uses up', async () => {
  const start = Date.UTC(2027, 0, 15) / 1000;
  const clock = await stripe.testHelpers.testClocks.create({ frozen_time: start });
  const customer = await stripe.customers.create({ test_clock: clock.id });
  const cheap = await monthly();
  const dear = await stripe.prices.create({
    product: String(cheap.product),
    currency: 'usd',
    unit_amount: 800,
    recurring: { interval: 'month' },
  });
  const session = await stripe.checkout.sessions.create({
    mode: 'subscription',
    customer: customer.id,
    line_items: [{ price: dear.id, quantity: 1 }],
    success_url: `${sandbox.origin}/done`,
  });
  await payOnPage(session.url ?? '', '4242424242424242');
  const { subscription: id } = await stripe.checkout.sessions.retrieve(session.id);
  const { items } = await stripe.subscriptions.retrieve(String(id));
  const item = items.data[0];
  await stripe.subscriptions.update(String(id), {
    items: [{ id: item?.id ?? '', price: cheap.id }],
    proration_behavior: 'always_invoice',
  });
  expect(await stripe.customers.retrieve(customer.id)).toMatchObject({ balance: -300 });
  await stripe.testHelpers.testClocks.advance(clock.id, { frozen_time: (item?.current_period_end ?? 0) + 7_200 });
  const [invoice] = (await stripe.invoices.list({ subscription: String(id) })).data;
  expect(invoice).toMatchObject({ total: 500, starting_balance: -300, ending_balance: 0, amount_paid: 200 });
  expect(await stripe.customers.retrieve(customer.id)).toMatchObject({ balance: 0 });
});

test('work that is due in real time is done at the start: a session expires', async () => {
  const price = await monthly();
  const session = await stripe.checkout.sessions.create({
    mode: 'subscription',
    line_items: [{ price: price.id, quantity: 1 }],
    success_url: `${sandbox.origin}/done`,
  });
  const tomorrow = Date.now() + 25 * 3_600_000;
  const later = await startTestSandbox({ storage: sandbox.options.storage, clock: { now: () => tomorrow } });
  await expect.poll(async () => (await later.stripe.checkout.sessions.retrieve(session.id)).status).toBe('expired');
  await later.stop();
});
