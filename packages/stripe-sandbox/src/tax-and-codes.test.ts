import type { Stripe } from 'stripe';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { payOnPage } from './testing/pay-on-page.ts';
import { startTestSandbox, type TestSandbox } from './testing/start-test-sandbox.ts';

const card = '4242424242424242';
const daySeconds = 86_400;
let sandbox: TestSandbox;
let stripe: Stripe;
let once: Stripe.Price;
let monthly: Stripe.Price;
let dearer: Stripe.Price;
beforeAll(async () => {
  sandbox = await startTestSandbox();
  ({ stripe } = sandbox);
  const product = (await stripe.products.create({ name: 'Pro' })).id;
  const price = (unit_amount: number, more: Partial<Stripe.PriceCreateParams> = {}) =>
    stripe.prices.create({ product, currency: 'usd', unit_amount, tax_behavior: 'exclusive', ...more });
  once = await price(1000);
  monthly = await price(1900, { recurring: { interval: 'month' } });
  dearer = await price(4900, { recurring: { interval: 'month' } });
});
afterAll(() => sandbox.stop());

const taxed: Partial<Stripe.Checkout.SessionCreateParams> = {
  automatic_tax: { enabled: true },
  billing_address_collection: 'required',
  tax_id_collection: { enabled: true },
  customer_update: { address: 'auto', name: 'auto' },
};

/** Creates a customer with a separate clock, and an open session. */
async function open(price: Stripe.Price, changes: Partial<Stripe.Checkout.SessionCreateParams> = {}) {
  const start = Math.floor(Date.UTC(2027, 0, 15, 12) / 1000);
  const clock = await stripe.testHelpers.testClocks.create({ frozen_time: start });
  const customer = (await stripe.customers.create({ name: 'Ada', test_clock: clock.id })).id;
  const session = await stripe.checkout.sessions.create({
    mode: price.recurring ? 'subscription' : 'payment',
    line_items: [{ price: price.id, quantity: 1 }],
    success_url: 'https://souk.test/result',
    customer,
    ...(!price.recurring && { invoice_creation: { enabled: true } }),
    ...changes,
  });
  const url = session.url ?? '';
  return {
    customer,
    pay: (fields: Record<string, string> = {}) => payOnPage(url, card, fields),
    /** Sends one of the forms next to the card. */
    async type(fields: Record<string, string>) {
      const answer = await fetch(url, { method: 'POST', redirect: 'manual', body: new URLSearchParams(fields) });
      return { status: answer.status, text: await answer.text() };
    },
    page: async () => (await fetch(url)).text(),
    read: () => stripe.checkout.sessions.retrieve(session.id, { expand: ['line_items', 'invoice', 'subscription'] }),
    afterDays: (days: number) =>
      stripe.testHelpers.testClocks.advance(clock.id, { frozen_time: start + days * daySeconds }),
  };
}

const invoiceOf = ({ invoice }: Stripe.Checkout.Session) => {
  if (typeof invoice !== 'object' || !invoice) throw new Error('no invoice was requested');
  return invoice;
};

test('tax depends on the address of the payer, on the page, the session, the invoice and the renewal alike', async () => {
  const one = await open(monthly, taxed);
  expect(await one.read()).toMatchObject({ automatic_tax: { enabled: true, status: 'requires_location_inputs' } });
  // nothing is charged before the address is known
  expect(await one.pay()).toMatchObject({ status: 422, location: null });
  expect((await one.type({ country: 'XX' })).status).toBe(422);
  expect((await one.type({ country: 'DE', postal_code: '10115' })).status).toBe(303);
  const page = await one.page();
  expect(page).toContain('<span>Tax, DEMO rate of 19 %</span><span>$3.61</span>');
  expect(page).toContain('Subscribe for $22.61/month');
  // another total than the page showed is not charged
  expect((await one.pay({ total: '1900' })).status).toBe(409);
  expect((await one.pay({ total: '2261' })).status).toBe(303);
  const session = await one.read();
  expect(session).toMatchObject({
    amount_subtotal: 1900,
    amount_total: 2261,
    total_details: { amount_discount: 0, amount_tax: 361 },
    automatic_tax: { status: 'complete' },
    customer_details: { address: { country: 'DE', postal_code: '10115' } },
    line_items: { data: [{ amount_subtotal: 1900, amount_tax: 361, amount_total: 2261 }] },
    subscription: { automatic_tax: { enabled: true } },
  });
  const totals = {
    subtotal: 1900,
    total_excluding_tax: 1900,
    total: 2261,
    amount_paid: 2261,
    total_taxes: [
      { amount: 361, tax_behavior: 'exclusive', taxability_reason: 'standard_rated', taxable_amount: 1900 },
    ],
  };
  expect(invoiceOf(session)).toMatchObject(totals);
  await one.afterDays(32);
  const { data } = await stripe.invoices.list({ customer: one.customer, limit: 1 });
  expect(data).toMatchObject([{ billing_reason: 'subscription_cycle', ...totals }]);
});

test('a business with a tax id pays no tax; a one-time payment is taxed on its invoice', async () => {
  const business = await open(once, taxed);
  await business.type({ country: 'FR', tax_id: 'FR 12345678901' });
  await business.pay();
  const session = await business.read();
  expect(session).toMatchObject({
    amount_total: 1000,
    customer_details: { tax_ids: [{ type: 'eu_vat', value: 'FR12345678901' }] },
  });
  expect(invoiceOf(session).total_taxes).toMatchObject([{ amount: 0, taxability_reason: 'reverse_charge' }]);
  const person = await open(once, taxed);
  await person.pay({ country: 'FR' });
  expect(invoiceOf(await person.read())).toMatchObject({ subtotal: 1000, total: 1200, amount_paid: 1200 });
});

test('for a known customer, a typed address and name must be allowed, as Stripe requires', async () => {
  for (const customer_update of [{ name: 'auto' }, { address: 'auto' }] as const)
    await expect(open(once, { ...taxed, customer_update })).rejects.toMatchObject({ statusCode: 400 });
  // typed data is ignored if the session did not request it
  const one = await open(once);
  await one.pay({ country: 'DE', code: 'DEMO50' });
  expect(await one.read()).toMatchObject({ amount_total: 1000, total_details: { amount_discount: 0, amount_tax: 0 } });
});

test('a code for one payment lowers it and the base of its tax, and not the renewal', async () => {
  const one = await open(monthly, { ...taxed, allow_promotion_codes: true });
  await one.type({ country: 'DE' });
  await one.type({ code: 'demo50' });
  const session = await (await one.pay({ total: String(950 + 181) }), one.read());
  expect(session).toMatchObject({
    amount_subtotal: 1900,
    amount_total: 1131,
    total_details: { amount_discount: 950, amount_tax: 181 },
    discounts: [{ coupon: null, promotion_code: expect.stringMatching(/^promo_/) }],
  });
  expect(invoiceOf(session)).toMatchObject({ subtotal: 1900, total_discount_amounts: [{ amount: 950 }], total: 1131 });
  await one.afterDays(32);
  const { data } = await stripe.invoices.list({ customer: one.customer, limit: 1 });
  expect(data).toMatchObject([{ subtotal: 1900, total_discount_amounts: [], total: 2261 }]);
});

test('a code for some months ends with them, and the preview of each invoice includes it', async () => {
  const one = await open(monthly, { allow_promotion_codes: true });
  await one.pay({ code: 'DEMO3MONTHS' });
  const { subscription } = await one.read();
  const id = typeof subscription === 'object' && subscription ? subscription.id : '';
  const totals: number[] = [];
  for (const days of [0, 32, 62, 92]) {
    if (days > 0) await one.afterDays(days);
    totals.push((await stripe.invoices.createPreview({ subscription: id })).total);
  }
  expect(totals).toEqual([1425, 1425, 1900, 1900]);
  const { data } = await stripe.invoices.list({ customer: one.customer });
  expect(data.map(({ amount_paid: paid }) => paid)).toEqual([1900, 1425, 1425, 1425]);
});

test('a change of plan refunds the unused time, and charges the rest with its discount', async () => {
  const one = await open(monthly, { allow_promotion_codes: true });
  await one.pay({ code: 'DEMO50' });
  const { subscription } = await one.read();
  const { id, items } =
    typeof subscription === 'object' && subscription ? subscription : { id: '', items: { data: [] } };
  const [item] = items.data;
  await stripe.subscriptions.update(id, {
    items: [{ id: item?.id ?? '', price: dearer.id }],
    proration_behavior: 'always_invoice',
    proration_date: item?.current_period_start ?? 0,
  });
  const { data } = await stripe.invoices.list({ customer: one.customer, limit: 1 });
  expect(data[0]?.lines.data.map(({ amount }) => amount)).toEqual([-950, 4900]);
});

test('a code that makes it free is redeemed without a card for a single payment, and with one for a subscription', async () => {
  const single = await open(once, { allow_promotion_codes: true });
  await single.type({ code: 'DEMOFREE' });
  const page = await single.page();
  expect(page).toContain('Complete order');
  expect(page).not.toContain('Card number');
  expect((await single.type({ complete: '1' })).status).toBe(303);
  expect(await single.read()).toMatchObject({
    status: 'complete',
    payment_status: 'no_payment_required',
    payment_intent: null,
    invoice: null,
    amount_total: 0,
    total_details: { amount_discount: 1000 },
  });
  const subscription = await open(monthly, { allow_promotion_codes: true });
  await subscription.type({ code: 'DEMOFREE' });
  expect((await subscription.type({ complete: '1' })).status).toBe(422);
  await subscription.pay();
  const session = await subscription.read();
  expect(session).toMatchObject({ payment_status: 'no_payment_required', amount_total: 0 });
  expect(invoiceOf(session)).toMatchObject({ status: 'paid', amount_paid: 0, subtotal: 1900 });
});

test('unknown, expired, used up, foreign, too small and too strong codes are refused, each with its reason', async () => {
  const one = await open(once, { allow_promotion_codes: true });
  const other = await stripe.customers.create({ name: 'Bob' });
  const coupon = (amount_off: number, currency: string) => stripe.coupons.create({ amount_off, currency });
  const code = async (name: string, of: Promise<Stripe.Coupon>, more: object = {}) =>
    stripe.promotionCodes.create({ code: name, promotion: { type: 'coupon', coupon: (await of).id }, ...more });
  await code('BOBONLY', coupon(100, 'usd'), { customer: other.id });
  await code('EUROS', coupon(100, 'eur'));
  await code('BIG', coupon(100, 'usd'), { restrictions: { minimum_amount: 2000, minimum_amount_currency: 'usd' } });
  await code('ALMOST', coupon(960, 'usd'));
  await code('LAST1', coupon(100, 'usd'), { max_redemptions: 1 });
  for (const [typed, reason] of [
    ['NOSUCH', 'This code is invalid.'],
    ["' or 1=1", 'This code is invalid.'],
    ['__proto__', 'This code is invalid.'],
    ['BOBONLY', 'This code is invalid.'],
    ['DEMOEXPIRED', 'This code has expired.'],
    ['DEMOUSEDUP', 'This code has been used up.'],
    ['EUROS', 'This code cannot be used in this currency.'],
    ['BIG', 'This code is for larger purchases.'],
    ['ALMOST', 'below the smallest charge of the currency'],
  ] as const) {
    const answer = await one.type({ code: typed });
    expect(answer, typed).toMatchObject({ status: 422, text: expect.stringContaining(reason) });
  }
  expect(await one.read()).toMatchObject({ amount_total: 1000, discounts: [] });
  // the user who pays first gets the last redemption
  const second = await open(once, { allow_promotion_codes: true });
  await one.type({ code: 'LAST1' });
  await second.type({ code: 'LAST1' });
  expect((await second.pay()).status).toBe(303);
  const late = await one.pay();
  expect(late).toMatchObject({ status: 422, text: expect.stringContaining('This code has been used up.') });
  expect(await one.read()).toMatchObject({ status: 'open', amount_total: 1000 });
});

test('a code can be removed again, and a refused card is charged the new total', async () => {
  const one = await open(once, { allow_promotion_codes: true });
  await one.type({ code: 'DEMO50' });
  expect(await one.read()).toMatchObject({ amount_total: 500 });
  expect((await one.pay({ number: '4000000000000002' })).status).toBe(402);
  await one.type({ remove: '1', code: '' });
  await one.pay();
  const session = await one.read();
  expect(session).toMatchObject({ amount_total: 1000, payment_status: 'paid' });
  expect(await stripe.paymentIntents.retrieve(String(session.payment_intent))).toMatchObject({ amount_received: 1000 });
});
