import { getAdminFigures } from '@souk/contract/admin/overview.ts';
import { billingHistoryEndpoints } from '@souk/contract/billing/billing-history.ts';
import { createClient } from '@souk/contract/client.ts';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { pay, settle } from '#features/billing/shop/checkout/testing/shop.ts';
import { checkLedger } from '#features/billing/index.ts';
import { giveClock, type Subscriber } from '#features/billing/shop/subscriptions/testing/subscriber.ts';
import { startAdministration, type Administration } from '#testing/administration.ts';
import { withoutHealthChecks } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';

// A shop with STRIPE_TAX=1 and PROMOTION_CODES=1: the provider adds tax to its charges, and deducts discounts.

const germany = { country: 'DE' };
const credits = { type: 'credit', planId: 'credits-2000' } as const;

let started: Administration | undefined;
let shop: Administration['shop'];
let admin: Administration['admin'];
let newPerson: Administration['newPerson'];
let adminToken: string;
beforeAll(async () => {
  started = await startAdministration({ env: { ...withoutHealthChecks, STRIPE_TAX: '1', PROMOTION_CODES: '1' } });
  ({ shop, admin, newPerson } = started);
  adminToken = started.administrator.accessToken;
});
beforeEach(() => (shop.ahead.ms = 0));
afterEach(async () => {
  await settle(shop);
  const [fault] = await checkLedger(shop.db);
  if (fault) throw new Error(fault.fault);
});
afterAll(() => started?.stop());

/** Pays for a package, and returns the result once nothing more is to come. */
async function buyCredits(person: Subscriber, fields: Record<string, string>) {
  const { checkoutUrl, sessionId } = await person.api.startCheckout({ body: credits });
  await pay(shop, checkoutUrl, undefined, fields);
  await settle(shop);
  return person.session(sessionId);
}

/** Submits a form of the provider's page. */
async function typeOnPage(checkoutUrl: string, fields: Record<string, string>) {
  const url = checkoutUrl.replace(shop.publicUrl, shop.pages);
  const answer = await fetch(url, { method: 'POST', redirect: 'manual', body: new URLSearchParams(fields) });
  return { status: answer.status, text: await answer.text() };
}

const historyOf = (person: Subscriber) =>
  createClient(billingHistoryEndpoints, { baseUrl: shop.publicUrl, fetch, token: async () => person.accessToken });

async function transactionsOf(person: Subscriber) {
  const api = historyOf(person);
  const { data } = await api.listTransactions({ params: { userId: person.userId }, query: {} });
  return data.transactions.map(({ type, status, amount, totals }) => ({ type, status, amount, totals }));
}

test('tax is paid in addition to the price: session, history and file have the subtotal, the tax and the total', async () => {
  const ann = await newPerson();
  expect(await buyCredits(ann, { ...germany, postal_code: '10115' })).toMatchObject({
    paymentStatus: 'paid',
    amountTotal: 2380,
    totals: { subtotal: 2000, discount: 0, tax: 380 },
  });
  expect(await ann.credits()).toBe(2200);
  const totals = { subtotal: 2000, discount: 0, tax: 380 };
  expect(await transactionsOf(ann)).toEqual([{ type: 'credit_purchase', status: 'completed', amount: 2380, totals }]);
  const params = { userId: ann.userId };
  expect((await historyOf(ann).getBillingDashboard({ params })).data).toMatchObject({ totalSpent: 2380 });
  const [head, row] = (await historyOf(ann).getTransactionsCsv({ params, query: {} })).split('\r\n');
  expect(head).toMatch(/"amount","currency","receiptUrl","subtotal","discount","tax","dispute"$/);
  expect(row).toMatch(/"23\.80","USD",.*,"20\.00","0\.00","3\.80",$/);
  const { rows } = await shop.db.query(
    'select asks_tax, allows_codes, paid_total, paid_discount, paid_tax from checkout_orders where user_id = $1',
    [ann.userId],
  );
  expect(rows).toEqual([{ asks_tax: true, allows_codes: true, paid_total: 2380, paid_discount: 0, paid_tax: 380 }]);
  // if nothing is collected, it is not mentioned
  const bob = await newPerson();
  expect(await buyCredits(bob, { country: 'US' })).not.toHaveProperty('totals');
  const file = await historyOf(bob).getTransactionsCsv({ params: { userId: bob.userId }, query: {} });
  expect(file.split('\r\n')[0]).toMatch(/"currency","receiptUrl","dispute"$/);
});

test('the page asks for address, tax id and code, and its prices are before tax', async () => {
  const ann = await newPerson();
  const { sessionId } = await ann.api.startCheckout({ body: { type: 'subscription', planId: 'pro' } });
  const session = await shop.stripe.checkout.sessions.retrieve(sessionId, { expand: ['line_items'] });
  expect(session).toMatchObject({
    automatic_tax: { enabled: true },
    tax_id_collection: { enabled: true },
    billing_address_collection: 'required',
    allow_promotion_codes: true,
    custom_text: { submit: { message: expect.stringContaining('Renews at $19/month plus tax until you cancel.') } },
  });
  const { data } = await shop.stripe.prices.list({ active: true, limit: 100 });
  expect(new Set(data.map(({ tax_behavior: behavior }) => behavior))).toEqual(new Set(['exclusive']));
});

test('a discount lowers what a plan costs once, and announced charges and the renewal have tax and no discount', async () => {
  const ann = await newPerson();
  const paymentId = await ann.subscribe('pro', undefined, { ...germany, code: 'demo50' });
  await settle(shop);
  expect(await ann.credits()).toBe(1000);
  expect(await transactionsOf(ann)).toEqual([
    {
      type: 'subscription_create',
      status: 'completed',
      amount: 1131,
      totals: { subtotal: 1900, discount: 950, tax: 181 },
    },
  ]);
  const full = { subtotal: 1900, discount: 0, tax: 361 };
  expect((await ann.plan())?.charge).toMatchObject({ amountCents: 2261, currency: 'USD', totals: full });
  await (await giveClock(shop, paymentId)).advanceDays(32);
  await waitUntil('the renewal', async () => (await ann.history()).length === 2);
  expect((await transactionsOf(ann))[0]).toEqual({
    type: 'subscription_update',
    status: 'completed',
    amount: 2261,
    totals: full,
  });
  expect((await ann.plan())?.charge).toMatchObject({ amountCents: 2261, totals: full });
});

test('a rental with a permanent discount shows it in the next charge, also when canceled, and no longer with another price', async () => {
  const ann = await newPerson();
  await ann.rent('top', undefined, { ...germany, code: 'DEMO20' });
  await settle(shop);
  const totals = { subtotal: 900, discount: 180, tax: 137 };
  const charge = { amountCents: 857, currency: 'USD', totals };
  expect(await ann.rental()).toMatchObject({ charge, chargeIfResumed: null });
  expect((await shop.administration.show(ann.userId)).billing.rentals).toMatchObject([{ charge }]);
  await ann.api.cancelRental({ params: { mcpId: 'top' } });
  expect(await ann.rental()).toMatchObject({ charge: null, chargeIfResumed: charge });
  // the provider's preview for another price says only that there is tax
  await shop.db.query('update subscription_syncs set next_subtotal = 800 where next_subtotal = 900');
  const { chargeIfResumed } = (await ann.rental()) ?? {};
  expect(chargeIfResumed).toMatchObject({ amountCents: 900, plusTax: true });
  expect(chargeIfResumed).not.toHaveProperty('totals');
});

test('the preview of an upgrade shows its tax, and that amount is paid', async () => {
  const ann = await newPerson();
  const paymentId = await ann.subscribe('basic', undefined, germany);
  await settle(shop);
  await (await giveClock(shop, paymentId)).advanceDays(10);
  shop.ahead.ms = 10 * 86_400_000;
  const params = { id: (await ann.plan())?.id ?? '' };
  const { change } = await ann.api.changeSubscription({ params, body: { planId: 'pro', preview: true } });
  const { amountDue, taxDue = 0, nextAmount, prorationDate } = change;
  expect(taxDue).toBeGreaterThan(0);
  expect(Math.abs(taxDue - ((amountDue - taxDue) * 19) / 100)).toBeLessThan(1);
  expect(change).toMatchObject({ nextAmount: 1900, plusTax: true });
  await ann.api.changeSubscription({
    params,
    body: { planId: 'pro', preview: false, shown: { amountDue, nextAmount }, prorationDate: prorationDate ?? 0 },
  });
  expect((await transactionsOf(ann))[0]).toEqual({
    type: 'subscription_update',
    status: 'completed',
    amount: amountDue,
    totals: { subtotal: amountDue - taxDue, discount: 0, tax: taxDue },
  });
  await settle(shop);
  expect((await ann.plan())?.charge).toMatchObject({ amountCents: 2261 });
});

test('the preview of an upgrade mentions a running discount, and not one that is used up', async () => {
  const preview = async (code: string) => {
    const ann = await newPerson();
    await ann.subscribe('basic', undefined, { ...germany, code });
    const body = { planId: 'pro', preview: true };
    return (await ann.api.changeSubscription({ params: { id: (await ann.plan())?.id ?? '' }, body })).change;
  };
  expect(await preview('DEMO20')).toMatchObject({ nextAmount: 1900, lessDiscount: true });
  expect(await preview('DEMO50')).not.toHaveProperty('lessDiscount');
});

test('a purchase that is free with a code is fulfilled, and there is nothing to refund', async () => {
  const ann = await newPerson();
  const { checkoutUrl, sessionId } = await ann.api.startCheckout({ body: credits });
  await typeOnPage(checkoutUrl, { ...germany, code: 'DEMOFREE' });
  expect((await typeOnPage(checkoutUrl, { complete: '1' })).status).toBe(303);
  await settle(shop);
  const totals = { subtotal: 2000, discount: 2000, tax: 0 };
  expect(await ann.session(sessionId)).toMatchObject({ paymentStatus: 'paid', amountTotal: 0, totals });
  expect(await ann.credits()).toBe(2200);
  await ann.subscribe('pro', undefined, { ...germany, code: 'DEMOFREE' });
  await settle(shop);
  expect(await ann.plan()).toMatchObject({ mcpId: 'pro', charge: { amountCents: 2261 } });
  expect(await ann.credits()).toBe(3200);
  const { payments } = await admin.listPersonPayments({ params: { id: ann.userId }, query: {} });
  expect(payments.map(({ amount, refund }) => ({ amount, refund }))).toEqual([
    { amount: 0, refund: null },
    { amount: 0, refund: null },
  ]);
  // the unused time was free, the higher plan grants its credits anyway
  const params = { id: (await ann.plan())?.id ?? '' };
  const { change } = await ann.api.changeSubscription({ params, body: { planId: 'enterprise', preview: true } });
  expect(change).toMatchObject({ amountDue: 9900 + 1881, taxDue: 1881 });
  await ann.changePlan('enterprise');
  await settle(shop);
  expect(await ann.credits()).toBe(3200 + 5000);
});

test('a payment is refunded in parts, with their tax, up to what was paid; the credits follow the paid share', async () => {
  const ann = await newPerson();
  await buyCredits(ann, { ...germany, code: 'DEMO50' });
  const one = async () => {
    const { payments } = await admin.listPersonPayments({ params: { id: ann.userId }, query: {} });
    return payments.at(-1);
  };
  const payment = await one();
  expect(payment).toMatchObject({ amount: 1190, totals: { subtotal: 2000, discount: 1000, tax: 190 } });
  expect(payment?.refund).toMatchObject({ leftCents: 1190 });
  const params = { id: ann.userId, paymentId: payment?.id ?? '' };
  const refund = (amountCents: number, refundedCents: number) =>
    admin.refundPayment({ params, body: { amountCents, refundedCents, reason: 'asked for it' } });
  // the price before the discount is not the limit
  await expect(refund(1191, 0)).rejects.toMatchObject({ code: 'refund_too_high' });
  let back = 0;
  for (const amount of [109, 109, 972]) {
    expect(await refund(amount, back)).toMatchObject({ result: 'refunded' });
    back += amount;
    await settle(shop);
  }
  const rows = await transactionsOf(ann);
  expect(rows.filter(({ type }) => type === 'refund').map(({ amount, totals }) => [amount, totals?.tax])).toEqual([
    [972, 155],
    [109, 18],
    [109, 17],
  ]);
  expect(rows.at(-1)).toMatchObject({ status: 'refunded' });
  expect(await ann.credits()).toBe(0);
  await expect(refund(1, back)).rejects.toMatchObject({ code: 'refund_impossible' });
  const { data } = await shop.stripe.charges.list({ limit: 100 });
  expect(data.find(({ amount }) => amount === 1190)).toMatchObject({ amount_refunded: 1190 });
});

test('the revenue of the shop and of a server is without tax, which is shown separately', async () => {
  const figures = async () => {
    const api = createClient([getAdminFigures], { baseUrl: shop.publicUrl, fetch, token: async () => adminToken });
    const [first] = (await api.getAdminFigures()).revenue;
    return { revenue: first?.now ?? 0, tax: first?.tax.now ?? 0, today: first?.byDay.at(-1) ?? 0 };
  };
  const before = await figures();
  const ann = await newPerson();
  const paymentId = await ann.rent('top', undefined, germany);
  await settle(shop);
  expect(await figures()).toEqual({
    revenue: before.revenue + 900,
    tax: before.tax + 171,
    today: before.today + 900,
  });
  const [{ payment_intent: intent } = {}] = (
    await shop.db.query<{ payment_intent: string }>(
      'select payment_intent_id as payment_intent from subscription_invoices where payment_id = $1',
      [paymentId],
    )
  ).rows;
  await shop.stripe.refunds.create({ payment_intent: intent ?? '' });
  await settle(shop);
  expect(await figures()).toEqual(before);
});

test('a smaller payment buys a larger item only with a discount that the order requested', async () => {
  /** Changes what the provider says of a paid session. */
  const pretend = async (sessionId: string, body: object) =>
    shop.db.query('update stripe_sandbox.objects set body = body || $2::jsonb where id = $1', [
      sessionId,
      JSON.stringify(body),
    ]);
  const totals = (amount_discount: number, amount_tax: number) => ({
    total_details: { amount_discount, amount_shipping: 0, amount_tax },
  });
  for (const [reason, body, change] of [
    ['total', { amount_total: 100 }, ''],
    ['total', { amount_total: 100, ...totals(0, 380) }, ''],
    ['amount, total', { amount_subtotal: 100, ...totals(0, 0) }, ''],
    ['discount', { amount_total: 100, ...totals(1900, 0) }, 'allows_codes = false'],
    ['discount', { amount_total: -100, ...totals(2100, 0) }, ''],
    ['tax', { amount_total: 100, ...totals(0, -1900) }, ''],
    ['tax', {}, 'asks_tax = false'],
    ['currency', { currency: 'eur' }, ''],
    ['currency', { currency: 'jpy', amount_total: 2380 }, ''],
  ] as const) {
    const ann = await newPerson();
    const { checkoutUrl, sessionId } = await ann.api.startCheckout({ body: credits });
    shop.control.pause();
    await pay(shop, checkoutUrl, undefined, germany);
    await pretend(sessionId, body);
    if (change) await shop.db.query(`update checkout_orders set ${change} where session_id = $1`, [sessionId]);
    shop.control.resume();
    await settle(shop);
    const { rows } = await shop.db.query('select status, reason from checkout_orders where session_id = $1', [
      sessionId,
    ]);
    expect(rows, reason).toEqual([{ status: 'flagged', reason: `not what was ordered: ${reason}` }]);
    expect(await ann.credits()).toBe(0);
    expect(await transactionsOf(ann)).toMatchObject([{ type: 'credit_purchase', status: 'pending' }]);
  }
});

test('a webhook with other totals, and tax in metadata, change nothing: the paid amount is read from the provider', async () => {
  const ann = await newPerson();
  const { checkoutUrl, sessionId } = await ann.api.startCheckout({ body: credits });
  const session = await shop.stripe.checkout.sessions.retrieve(sessionId);
  await shop.control.emit('checkout.session.completed', {
    ...session,
    status: 'complete',
    payment_status: 'no_payment_required',
    amount_total: 0,
    total_details: { amount_discount: 2000, amount_shipping: 0, amount_tax: 0 },
  });
  await settle(shop);
  expect(await ann.session(sessionId)).toMatchObject({ paymentStatus: 'unpaid' });
  expect(await ann.credits()).toBe(0);
  await shop.db.query(
    `update stripe_sandbox.objects set body = jsonb_set(body, '{metadata}', body -> 'metadata' || $2::jsonb) where id = $1`,
    [sessionId, JSON.stringify({ amount_tax: '9999', tax: '9999', amount_total: '1', amount_discount: '1999' })],
  );
  await pay(shop, checkoutUrl, undefined, germany);
  await settle(shop);
  const totals = { subtotal: 2000, discount: 0, tax: 380 };
  expect(await transactionsOf(ann)).toEqual([{ type: 'credit_purchase', status: 'completed', amount: 2380, totals }]);
});

test("another user's code, and one of another currency, are refused on the page, and the price stays", async () => {
  const [ann, bob] = [await newPerson(), await newPerson()];
  await bob.api.startCheckout({ body: credits });
  const { rows } = await shop.db.query<{ customer_id: string }>(
    'select customer_id from payment_customers where user_id = $1',
    [bob.userId],
  );
  const make = async (code: string, coupon: Parameters<typeof shop.stripe.coupons.create>[0], customer?: string) =>
    shop.stripe.promotionCodes.create({
      code,
      promotion: { type: 'coupon', coupon: (await shop.stripe.coupons.create(coupon)).id },
      ...(customer !== undefined && { customer }),
    });
  await make('FORBOB', { percent_off: 90 }, rows[0]?.customer_id);
  await make('INEUROS', { amount_off: 1900, currency: 'eur' });
  const { checkoutUrl, sessionId } = await ann.api.startCheckout({ body: credits });
  for (const code of ['FORBOB', 'INEUROS'])
    expect(await typeOnPage(checkoutUrl, { code }), code).toMatchObject({ status: 422 });
  expect(await ann.session(sessionId)).toMatchObject({ amountTotal: 2000 });
  expect(await buyCredits(bob, { ...germany, code: 'FORBOB' })).toMatchObject({
    paymentStatus: 'paid',
    amountTotal: 238,
  });
});

test('an order whose page was created without tax and codes is replaced once these are switched on', async () => {
  const ann = await newPerson();
  const first = await ann.api.startCheckout({ body: credits });
  expect((await ann.api.startCheckout({ body: credits })).sessionId).toBe(first.sessionId);
  await shop.db.query('update checkout_orders set asks_tax = false where session_id = $1', [first.sessionId]);
  const second = await ann.api.startCheckout({ body: credits });
  expect(second.sessionId).not.toBe(first.sessionId);
  expect(await shop.stripe.checkout.sessions.retrieve(first.sessionId)).toMatchObject({ status: 'expired' });
});
