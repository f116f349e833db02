import type { Stripe } from 'stripe';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { payOnPage } from './testing/pay-on-page.ts';
import { startTestSandbox, testKey, type TestSandbox } from './testing/start-test-sandbox.ts';

// Behavior that makes an application decide by data that it read a moment ago, wrongly.

let sandbox: TestSandbox;
let stripe: Stripe;
let monthly: (amount: number) => Promise<string>;
beforeAll(async () => {
  sandbox = await startTestSandbox();
  ({ stripe } = sandbox);
  const product = (await stripe.products.create({ name: 'Notes' })).id;
  monthly = async (unit_amount) =>
    (await stripe.prices.create({ product, currency: 'usd', unit_amount, recurring: { interval: 'month' } })).id;
});
afterEach(() => {
  sandbox.control.lockObjects(false);
  sandbox.control.skew(0);
});
afterAll(() => sandbox.stop());

async function subscribe(price: string, customer: string, card = '4242424242424242') {
  const { id, url } = await stripe.checkout.sessions.create({
    mode: 'subscription',
    customer,
    line_items: [{ price, quantity: 1 }],
    success_url: `${sandbox.origin}/done`,
  });
  const { location } = await payOnPage(url ?? '', card);
  if (location?.endsWith('/authenticate')) {
    const body = new URLSearchParams({ answer: 'complete' });
    await fetch(`${url}/authenticate`, { method: 'POST', redirect: 'manual', body });
  }
  return stripe.checkout.sessions.retrieve(id, { expand: ['invoice', 'subscription'] });
}

const newCustomer = async () => (await stripe.customers.create()).id;
const balanceOf = async (id: string) => {
  const customer = await stripe.customers.retrieve(id);
  return 'balance' in customer ? customer.balance : undefined;
};

test('a credit balance pays part of a first invoice; the session has the total', async () => {
  const customer = await newCustomer();
  const given = await stripe.customers.createBalanceTransaction(customer, { amount: -300, currency: 'usd' });
  expect(given).toMatchObject({ amount: -300, ending_balance: -300, type: 'adjustment' });
  const session = await subscribe(await monthly(500), customer);
  expect(session).toMatchObject({
    amount_total: 500,
    payment_status: 'paid',
    invoice: { status: 'paid', amount_paid: 200, starting_balance: -300, ending_balance: 0 },
  });
  expect(await balanceOf(customer)).toBe(0);
  const { data } = await stripe.charges.list({ customer });
  expect(data.map(({ amount }) => amount)).toEqual([200]);
});

test('a credit balance that covers a first invoice charges nothing', async () => {
  const customer = await newCustomer();
  await stripe.customers.createBalanceTransaction(customer, { amount: -800, currency: 'usd' });
  const session = await subscribe(await monthly(500), customer);
  expect(session).toMatchObject({ payment_status: 'no_payment_required', invoice: { status: 'paid', amount_paid: 0 } });
  expect(await balanceOf(customer)).toBe(-300);
  expect((await stripe.charges.list({ customer })).data).toEqual([]);
});

test('an amount that the balance reduces below the minimum charge is added to the next invoice', async () => {
  const customer = await newCustomer();
  await stripe.customers.createBalanceTransaction(customer, { amount: -480, currency: 'usd' });
  await subscribe(await monthly(500), customer);
  expect(await balanceOf(customer)).toBe(20);
});

test('a void invoice returns what it used of the balance', async () => {
  const customer = await newCustomer();
  const [basic, pro] = [await monthly(500), await monthly(5000)];
  const { subscription } = await subscribe(basic, customer, '4000002760003184');
  const id = idOf(subscription);
  await stripe.customers.createBalanceTransaction(customer, { amount: -300, currency: 'usd' });
  const { items } = await stripe.subscriptions.retrieve(id);
  const waiting = await stripe.subscriptions.update(id, {
    items: [{ id: items.data[0]?.id ?? '', price: pro }],
    proration_behavior: 'always_invoice',
    payment_behavior: 'pending_if_incomplete',
  });
  expect(await balanceOf(customer)).toBe(0);
  await stripe.invoices.voidInvoice(String(waiting.latest_invoice));
  expect(await balanceOf(customer)).toBe(-300);
});

test.each<[how: string, payments: number, pay: (invoice: string, customer: string) => Promise<unknown>]>([
  ['outside of Stripe', 0, (invoice) => stripe.invoices.pay(invoice, { paid_out_of_band: true })],
  [
    'with another card',
    1,
    async (invoice, customer) => {
      const other = await subscribe(await monthly(500), customer);
      const method = (await stripe.subscriptions.retrieve(idOf(other.subscription))).default_payment_method;
      return stripe.invoices.pay(invoice, { payment_method: String(method) });
    },
  ],
])('the owner of the account pays an open invoice %s', async (_how, payments, pay) => {
  const clock = await stripe.testHelpers.testClocks.create({ frozen_time: Date.UTC(2027, 0, 15) / 1000 });
  const customer = (await stripe.customers.create({ test_clock: clock.id })).id;
  const { subscription } = await subscribe(await monthly(500), customer, '4000000000000341');
  const id = idOf(subscription);
  const { frozen_time: now } = await stripe.testHelpers.testClocks.retrieve(clock.id);
  await stripe.testHelpers.testClocks.advance(clock.id, { frozen_time: now + 32 * 86_400 });
  const pastDue = await stripe.subscriptions.retrieve(id);
  expect(pastDue.status).toBe('past_due');
  const invoice = String(pastDue.latest_invoice);
  await expect(stripe.invoices.pay(invoice)).rejects.toMatchObject({ statusCode: 402, code: 'card_declined' });
  await pay(invoice, customer);
  expect(await stripe.subscriptions.retrieve(id)).toMatchObject({ status: 'active' });
  const { data } = await stripe.invoicePayments.list({ invoice });
  expect(data.filter(({ status }) => status === 'paid')).toHaveLength(payments);
  await expect(stripe.invoices.pay(invoice)).rejects.toMatchObject({ statusCode: 400 });
});

const idOf = (object: string | { id: string } | null) => (typeof object === 'string' ? object : (object?.id ?? ''));

test('a request that is held back is processed when it is released, even if its client has given up', async () => {
  const customer = await newCustomer();
  const held = sandbox.control.hold(`POST /v1/customers/${customer}`, 'before');
  const client = new AbortController();
  const late = fetch(`${sandbox.origin}/v1/customers/${customer}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${testKey}` },
    body: new URLSearchParams({ name: 'Late' }),
    signal: client.signal,
  });
  await held.reached;
  client.abort();
  await expect(late).rejects.toThrow('aborted');
  expect(await stripe.customers.retrieve(customer)).toMatchObject({ name: null });
  held.release();
  await expect.poll(() => stripe.customers.retrieve(customer)).toMatchObject({ name: 'Late' });
});

test('a response that is held back comes after the work', async () => {
  const customer = await newCustomer();
  const held = sandbox.control.hold(`POST /v1/customers/${customer}`, 'after');
  const slow = stripe.customers.update(customer, { name: 'Slow' });
  await held.reached;
  expect(await stripe.customers.retrieve(customer)).toMatchObject({ name: 'Slow' });
  held.release();
  expect(await slow).toMatchObject({ name: 'Slow' });
});

test('the second of two concurrent writes to one object is refused with lock_timeout, which no key stores', async () => {
  sandbox.control.lockObjects(true);
  const customer = await newCustomer();
  const held = sandbox.control.hold(`POST /v1/customers/${customer}`, 'before');
  const first = stripe.customers.update(customer, { name: 'First' });
  await held.reached;
  const second = () => stripe.customers.update(customer, { name: 'Second' }, { idempotencyKey: `second-${customer}` });
  await expect(second()).rejects.toMatchObject({ statusCode: 429, code: 'lock_timeout' });
  held.release();
  await first;
  expect(await second()).toMatchObject({ name: 'Second' });
  sandbox.control.lockObjects(false);
  sandbox.control.failNext(`/v1/customers/${customer}`, 'locked');
  await expect(second()).rejects.toMatchObject({ statusCode: 429, code: 'lock_timeout' });
  expect(await second()).toMatchObject({ name: 'Second' });
});

test('its clock may be ahead of the application', async () => {
  const hourSeconds = 3_600;
  const before = await stripe.customers.create();
  sandbox.control.skew(hourSeconds * 1000);
  const { created } = await stripe.customers.create();
  expect(created).toBeGreaterThanOrEqual(before.created + hourSeconds);
});

test('an expanded invoice has its first ten lines, and says that there are more', async () => {
  const clock = await stripe.testHelpers.testClocks.create({ frozen_time: Date.UTC(2027, 0, 15) / 1000 });
  const customer = (await stripe.customers.create({ test_clock: clock.id })).id;
  const { subscription } = await subscribe(await monthly(500), customer);
  for (let item = 0; item < 12; item += 1)
    await stripe.invoiceItems.create({ customer, amount: 100, currency: 'usd', description: `Item ${item}` });
  const { frozen_time: now } = await stripe.testHelpers.testClocks.retrieve(clock.id);
  await stripe.testHelpers.testClocks.advance(clock.id, { frozen_time: now + 32 * 86_400 });
  const read = await stripe.subscriptions.retrieve(idOf(subscription), { expand: ['latest_invoice'] });
  const lines = typeof read.latest_invoice === 'object' ? read.latest_invoice?.lines : undefined;
  expect(lines?.data).toHaveLength(10);
  expect(lines?.has_more).toBe(true);
});
