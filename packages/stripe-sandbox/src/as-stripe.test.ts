import type { Stripe } from 'stripe';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { payOnPage } from './testing/pay-on-page.ts';
import { startTestSandbox, type TestSandbox } from './testing/start-test-sandbox.ts';

// Unfriendly behavior of Stripe, which the sandbox has too.

const day = 86_400;
const arrives = 'AT61 1904 3002 3457 3201';
const fails = 'AT86 1904 3002 3547 3202';
let sandbox: TestSandbox;
let stripe: Stripe;
let monthly: Stripe.Price;
let once: Stripe.Price;
beforeAll(async () => {
  sandbox = await startTestSandbox();
  ({ stripe } = sandbox);
  const product = (await stripe.products.create({ name: 'Notes' })).id;
  once = await stripe.prices.create({ product, currency: 'usd', unit_amount: 1000 });
  monthly = await stripe.prices.create({
    product,
    currency: 'usd',
    unit_amount: 500,
    recurring: { interval: 'month' },
  });
});
afterEach(() =>
  sandbox.control.setAccount({
    afterLastRetry: 'cancel',
    billingMode: 'classic',
    hostedPaymentMethodSave: 'never',
    paymentMethods: ['card', 'sepa_debit'],
  }),
);
afterAll(() => sandbox.stop());

async function buy(mode: 'payment' | 'subscription', number: string) {
  const start = Date.UTC(2027, 0, 15) / 1000;
  const clock = await stripe.testHelpers.testClocks.create({ frozen_time: start });
  const customer = (await stripe.customers.create({ test_clock: clock.id })).id;
  const { id, url } = await stripe.checkout.sessions.create({
    mode,
    customer,
    line_items: [{ price: mode === 'payment' ? once.id : monthly.id, quantity: 1 }],
    success_url: `${sandbox.origin}/done`,
    ...(mode === 'payment' && { invoice_creation: { enabled: true } }),
  });
  await payOnPage(url ?? '', number);
  const session = () => stripe.checkout.sessions.retrieve(id);
  const subscription = String((await session()).subscription);
  return {
    customer,
    session,
    subscription,
    read: () => stripe.subscriptions.retrieve(subscription, { expand: ['latest_invoice'] }),
    afterDays: (days: number) => stripe.testHelpers.testClocks.advance(clock.id, { frozen_time: start + days * day }),
    events: async () => {
      const { data } = await stripe.events.list({ limit: 100 });
      return data
        .filter(({ data: { object } }) => 'customer' in object && object.customer === customer)
        .map(({ type }) => type);
    },
  };
}

test('a debit completes the session unpaid; days later it is paid, or has failed and waits for payment', async () => {
  const [good, bad] = [await buy('subscription', arrives), await buy('subscription', fails)];
  for (const one of [good, bad]) {
    expect(await one.session()).toMatchObject({ status: 'complete', payment_status: 'unpaid' });
    expect(await one.read()).toMatchObject({ status: 'active', latest_invoice: { status: 'open' } });
    await one.afterDays(4);
  }
  expect(await good.session()).toMatchObject({ payment_status: 'paid' });
  expect(await good.read()).toMatchObject({ status: 'active', latest_invoice: { status: 'paid' } });
  expect(await good.events()).toContain('checkout.session.async_payment_succeeded');
  expect(await bad.session()).toMatchObject({ payment_status: 'unpaid' });
  expect(await bad.read()).toMatchObject({ status: 'past_due', latest_invoice: { status: 'open' } });
  expect(await bad.events()).toContain('checkout.session.async_payment_failed');
  const { latest_invoice: invoice } = await bad.read();
  await payOnPage((typeof invoice === 'object' && invoice?.hosted_invoice_url) || '', '4242424242424242');
  expect(await bad.read()).toMatchObject({ status: 'active', latest_invoice: { status: 'paid' } });
  // the session keeps its status
  expect(await bad.session()).toMatchObject({ payment_status: 'unpaid' });
});

test('a one-time debit has its invoice when it arrives', async () => {
  const one = await buy('payment', arrives);
  expect((await one.session()).invoice).toBeNull();
  await one.afterDays(4);
  const { invoice, payment_status: status } = await one.session();
  expect(status).toBe('paid');
  expect(await stripe.invoices.retrieve(String(invoice))).toMatchObject({ status: 'paid', amount_paid: 1000 });
});

test('a debit is refused if the session accepts only cards', async () => {
  const { url } = await stripe.checkout.sessions.create({
    mode: 'payment',
    allowed_payment_method_types: ['card'],
    line_items: [{ price: once.id, quantity: 1 }],
    success_url: `${sandbox.origin}/done`,
  });
  expect((await payOnPage(url ?? '', arrives)).status).toBe(422);
});

test.each([
  ['unpaid', 'draft', false],
  ['past_due', 'open', true],
] as const)('an account may leave unpaid subscriptions %s', async (afterLastRetry, status, collects) => {
  await sandbox.control.setAccount({ afterLastRetry });
  const one = await buy('subscription', '4000000000000341');
  await one.afterDays(32);
  await one.afterDays(50);
  expect((await one.read()).status).toBe(afterLastRetry);
  await one.afterDays(61);
  const { latest_invoice: invoice } = await one.read();
  expect(invoice).toMatchObject({ status, auto_advance: collects });
});

test('manually added items come before the period on the next invoice', async () => {
  const one = await buy('subscription', '4242424242424242');
  await stripe.invoiceItems.create({ customer: one.customer, amount: 250, currency: 'usd', description: 'Set-up' });
  await one.afterDays(32);
  const { latest_invoice: invoice } = await one.read();
  expect(invoice).toMatchObject({ amount_due: 750, status: 'paid' });
  const lines = (typeof invoice === 'object' && invoice?.lines.data) || [];
  expect(lines.map(({ amount, parent }) => [amount, parent?.type])).toEqual([
    [250, 'invoice_item_details'],
    [500, 'subscription_item_details'],
  ]);
});

test('a deleted customer ends its subscriptions, and nothing can be sold to it', async () => {
  const { customer, read } = await buy('subscription', '4242424242424242');
  await stripe.customers.del(customer);
  expect(await stripe.customers.retrieve(customer)).toEqual(expect.objectContaining({ id: customer, deleted: true }));
  expect(await read()).toMatchObject({ status: 'canceled' });
  const session = { mode: 'payment' as const, customer, line_items: [{ price: once.id }], success_url: sandbox.origin };
  const missing = { statusCode: 400, code: 'resource_missing', param: 'customer' };
  await expect(stripe.checkout.sessions.create(session)).rejects.toMatchObject(missing);
  await expect(stripe.customers.update(customer, { name: 'Ada' })).rejects.toMatchObject({ statusCode: 404 });
});

test('a customer has one currency; amounts have the decimals of theirs, and a minimum', async () => {
  const { customer } = await buy('subscription', '4242424242424242');
  expect(await stripe.customers.retrieve(customer)).toMatchObject({ currency: 'usd' });
  const price = async (currency: string, unit_amount: number) => {
    const { id } = await stripe.products.create({ name: currency });
    return stripe.prices.create({ product: id, currency, unit_amount, recurring: { interval: 'month' } });
  };
  const open = (of: Stripe.Price, more = {}) =>
    stripe.checkout.sessions.create({
      mode: 'subscription',
      line_items: [{ price: of.id, quantity: 1 }],
      success_url: sandbox.origin,
      ...more,
    });
  await expect(open(await price('eur', 500), { customer })).rejects.toThrow('You cannot combine currencies');
  await expect(price('xxx', 500)).rejects.toThrow('Invalid currency: xxx');
  await expect(price('kwd', 505)).rejects.toThrow('divisible by 10');
  expect(await open(await price('jpy', 50))).toMatchObject({ amount_total: 50 });
  await expect(open(await price('jpy', 49))).rejects.toMatchObject({ code: 'amount_too_small' });
  await expect(open(await price('usd', 49))).rejects.toThrow('at least $0.50 usd');
  await expect(open(await price('gbp', 29))).rejects.toMatchObject({ code: 'amount_too_small' });
  expect(await open(await price('gbp', 30))).toMatchObject({ amount_total: 30 });
});

test.each(['before', 'after'] as const)(
  'a failure %s the work is the response for its key permanently',
  async (when) => {
    const key = { idempotencyKey: `key-${when}` };
    sandbox.control.failNext('/v1/customers', when);
    const create = () => stripe.customers.create({ name: when }, key);
    await expect(create()).rejects.toMatchObject({ statusCode: 500, type: 'StripeAPIError' });
    const again = await create().catch((error: Stripe.errors.StripeError) => error);
    expect(again).toMatchObject({ statusCode: 500, headers: { 'idempotent-replayed': 'true' } });
    const { data } = await stripe.customers.list({ limit: 100 });
    expect(data.filter(({ name }) => name === when)).toHaveLength(when === 'before' ? 0 : 1);
  },
);

test('a cancellation in the portal is a separate date with flexible billing, which a separate parameter removes', async () => {
  await sandbox.control.setAccount({ billingMode: 'flexible' });
  const { subscription, read, afterDays } = await buy('subscription', '4242424242424242');
  const end = (await read()).items.data[0]?.current_period_end;
  await sandbox.control.cancelInPortal(subscription);
  expect(await read()).toMatchObject({
    billing_mode: { type: 'flexible' },
    cancel_at_period_end: false,
    cancel_at: end,
  });
  await stripe.subscriptions.update(subscription, { cancel_at_period_end: false });
  expect(await read()).toMatchObject({ cancel_at: end });
  await stripe.subscriptions.update(subscription, { cancel_at: '' });
  expect(await read()).toMatchObject({ cancel_at: null });
  await sandbox.control.cancelInPortal(subscription);
  await afterDays(32);
  expect(await read()).toMatchObject({ status: 'canceled' });
});

test('the lines of an invoice name the product with its display name', async () => {
  const { customer, subscription, read, afterDays } = await buy('subscription', '4242424242424242');
  const item = (await read()).items.data[0]?.id ?? '';
  await stripe.subscriptions.update(subscription, {
    items: [{ id: item, quantity: 2 }],
    proration_behavior: 'always_invoice',
  });
  await afterDays(32);
  const { data } = await stripe.invoices.list({ customer });
  const linesOf = data.toReversed().map(({ lines }) => lines.data.map(({ description }) => description));
  expect(linesOf).toEqual([['1 × Notes'], ['Unused time on Notes', 'Remaining time on Notes'], ['2 × Notes']]);
});

test('the portal sets another card for the customer, not for a subscription', async () => {
  const { customer, subscription, read } = await buy('subscription', '4242424242424242');
  const { default_payment_method: before } = await read();
  const { url } = await stripe.billingPortal.sessions.create({
    customer,
    return_url: `${sandbox.origin}/account`,
    flow_data: { type: 'payment_method_update' },
  });
  expect((await payOnPage(url, '4000000000000000')).status).toBe(422);
  // the bank checks a card when it is saved
  for (const [card, reason] of [
    ['4000000000000002', 'Your card was declined.'],
    ['4000000000009995', 'Your card has insufficient funds.'],
  ] as const) {
    const refused = await payOnPage(url, card);
    expect(refused).toMatchObject({ status: 402, location: null });
    expect(refused.text).toContain(`<p role="alert">${reason}</p>`);
  }
  expect(await stripe.customers.retrieve(customer)).toMatchObject({
    invoice_settings: { default_payment_method: null },
  });
  expect(await payOnPage(url, '4000000000000341')).toMatchObject({
    status: 303,
    location: `${sandbox.origin}/account`,
  });
  const found = await stripe.customers.retrieve(customer);
  const method = 'invoice_settings' in found ? String(found.invoice_settings.default_payment_method) : '';
  expect(await stripe.paymentMethods.retrieve(method)).toMatchObject({ customer, card: { last4: '0341' } });
  expect((await read()).default_payment_method).toBe(before);
  await stripe.subscriptions.update(subscription, { default_payment_method: method });
  expect((await read()).default_payment_method).toBe(method);
  const other = await buy('subscription', '4242424242424242');
  await expect(
    stripe.subscriptions.update(other.subscription, { default_payment_method: method }),
  ).rejects.toMatchObject({ statusCode: 400 });
});

test('the account says whether the page of an invoice saves cards, which a new account does not', async () => {
  const read = async () => (await stripe.accounts.retrieveCurrent()).settings?.invoices?.hosted_payment_method_save;
  expect(await read()).toBe('never');
  await sandbox.control.setAccount({ hostedPaymentMethodSave: 'always' });
  expect(await read()).toBe('always');
});

test('an invoice that is not collected can still be paid; a void one cannot', async () => {
  const one = await buy('subscription', '4000000000000341');
  await one.afterDays(32);
  const invoice = (await one.read()).latest_invoice;
  const id = (typeof invoice === 'object' && invoice?.id) || '';
  await stripe.invoices.update(id, { auto_advance: false });
  await one.afterDays(45);
  expect(await one.read()).toMatchObject({ status: 'past_due', latest_invoice: { status: 'open', attempt_count: 1 } });
  await stripe.invoices.voidInvoice(id);
  expect(await one.read()).toMatchObject({ status: 'active', latest_invoice: { status: 'void' } });
});

test('a refund can fail days later: the charge is then no longer refunded', async () => {
  const one = await buy('payment', '4242424242424242');
  const { payment_intent: intent } = await one.session();
  const refund = await stripe.refunds.create({ payment_intent: String(intent) });
  await sandbox.control.failRefund(refund.id);
  expect(await stripe.refunds.retrieve(refund.id)).toMatchObject({ status: 'failed' });
  const { data } = await stripe.charges.list({ payment_intent: String(intent) });
  expect(data).toMatchObject([{ refunded: false, amount_refunded: 0 }]);
});

test('a renewal is not charged to a method that the subscription does not name', async () => {
  const one = await buy('subscription', '4242424242424242');
  await stripe.subscriptions.update(one.subscription, { payment_settings: { payment_method_types: ['sepa_debit'] } });
  await one.afterDays(32);
  expect(await one.read()).toMatchObject({ status: 'past_due', latest_invoice: { status: 'open' } });
});

test('a method that the account has switched off is refused, and reported', async () => {
  await sandbox.control.setAccount({ paymentMethods: ['card'] });
  const named = { allowed_payment_method_types: ['sepa_debit' as const] };
  const session = {
    mode: 'payment' as const,
    line_items: [{ price: once.id, quantity: 1 }],
    success_url: sandbox.origin,
  };
  await expect(stripe.checkout.sessions.create({ ...session, ...named })).rejects.toThrow('sepa_debit is invalid');
  const { data } = await stripe.paymentMethodConfigurations.list();
  expect(data).toMatchObject([{ is_default: true, card: { available: true }, sepa_debit: { available: false } }]);
});

test('an account may pause unpaid subscriptions: no further period begins, and their invoice can be paid', async () => {
  await sandbox.control.setAccount({ afterLastRetry: 'paused' });
  const one = await buy('subscription', '4000000000000341');
  await one.afterDays(32);
  await one.afterDays(80);
  const { latest_invoice: invoice } = await one.read();
  expect(await one.read()).toMatchObject({ status: 'paused', latest_invoice: { status: 'open' } });
  await payOnPage((typeof invoice === 'object' && invoice?.hosted_invoice_url) || '', '4242424242424242');
  await one.afterDays(110);
  const { data } = await stripe.invoices.list({ subscription: one.subscription });
  expect(data.map(({ status }) => status)).toEqual(['paid', 'paid']);
});

test('a written-off invoice makes its subscription active, and can be paid or voided', async () => {
  const [paid, dropped] = [
    await buy('subscription', '4000000000000341'),
    await buy('subscription', '4000000000000341'),
  ];
  for (const one of [paid, dropped]) {
    await one.afterDays(32);
    const { latest_invoice: invoice } = await one.read();
    await stripe.invoices.markUncollectible((typeof invoice === 'object' && invoice?.id) || '');
    expect(await one.read()).toMatchObject({ status: 'active', latest_invoice: { status: 'uncollectible' } });
  }
  const open = async ({ read }: typeof paid) => {
    const { latest_invoice: invoice } = await read();
    if (typeof invoice !== 'object' || !invoice) throw new Error('there is no invoice');
    return invoice;
  };
  await payOnPage((await open(paid)).hosted_invoice_url ?? '', '4242424242424242');
  await stripe.invoices.voidInvoice((await open(dropped)).id ?? '');
  expect(await paid.read()).toMatchObject({ latest_invoice: { status: 'paid' } });
  expect(await dropped.read()).toMatchObject({ latest_invoice: { status: 'void' } });
});

test.each([
  ['keep_as_draft', 'draft'],
  ['mark_uncollectible', 'uncollectible'],
  ['void', 'void'],
] as const)('while collection is paused to %s, the subscription stays active', async (behavior, status) => {
  const one = await buy('subscription', '4242424242424242');
  await stripe.subscriptions.update(one.subscription, { pause_collection: { behavior } });
  await one.afterDays(32);
  expect(await one.read()).toMatchObject({ status: 'active', latest_invoice: { status, auto_advance: false } });
  await stripe.subscriptions.update(one.subscription, { pause_collection: '' });
  await one.afterDays(63);
  expect(await one.read()).toMatchObject({ pause_collection: null, latest_invoice: { status: 'paid' } });
});

test('an amount that is too small to charge is added to the next invoice', async () => {
  const one = await buy('subscription', '4242424242424242');
  const product = (await stripe.products.create({ name: 'More' })).id;
  const more = await stripe.prices.create({
    product,
    currency: 'usd',
    unit_amount: 540,
    recurring: { interval: 'month' },
  });
  const [item] = (await one.read()).items.data;
  const items = [{ id: item?.id ?? '', price: more.id }];
  await stripe.subscriptions.update(one.subscription, { items, proration_behavior: 'always_invoice' });
  expect(await one.read()).toMatchObject({ latest_invoice: { status: 'paid', amount_paid: 0, total: 40 } });
  await one.afterDays(32);
  expect(await one.read()).toMatchObject({ latest_invoice: { status: 'paid', amount_paid: 580 } });
});

test('a refusal after the work has begun is the response for its key; its changes are undone', async () => {
  const one = await buy('payment', '4242424242424242');
  const { payment_intent: intent } = await one.session();
  sandbox.control.failNext('/v1/refunds', 'refused');
  const refund = (idempotencyKey: string) =>
    stripe.refunds.create({ payment_intent: String(intent) }, { idempotencyKey });
  await expect(refund('a')).rejects.toMatchObject({ statusCode: 400 });
  const again = await refund('a').catch((error: Stripe.errors.StripeError) => error);
  expect(again).toMatchObject({ statusCode: 400, headers: { 'idempotent-replayed': 'true' } });
  expect(await refund('b')).toMatchObject({ status: 'succeeded' });
});
