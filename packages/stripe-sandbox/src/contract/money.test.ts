import type Stripe from 'stripe';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { advance, describeOnTargets, type Target } from './target.ts';

const daySeconds = 86_400;

describeOnTargets('payments and subscriptions', (open) => {
  let target: Target;
  let stripe: Stripe;
  let once: Stripe.Price;
  let monthly: Stripe.Price;
  let dearer: Stripe.Price;
  beforeAll(async () => {
    target = await open();
    ({ stripe } = target);
    const product = await stripe.products.create({ name: 'Travel Pro' });
    const price = (unit_amount: number, recurring?: { interval: 'month' }) =>
      stripe.prices.create({ product: product.id, currency: 'usd', unit_amount, ...(recurring && { recurring }) });
    once = await price(1000);
    monthly = await price(500, { interval: 'month' });
    dearer = await price(1500, { interval: 'month' });
  });
  afterAll(() => target.stop());

  /** Creates a customer whose clock is stopped at noon of a day in the middle of a month. */
  async function customerWithClock() {
    const start = Math.floor(Date.UTC(2027, 0, 15, 12) / 1000);
    const clock = await stripe.testHelpers.testClocks.create({ frozen_time: start });
    const customer = await stripe.customers.create({ name: 'Ada', test_clock: clock.id });
    return { start, clock: clock.id, customer: customer.id };
  }
  const endOf = (subscription: Stripe.Subscription) => subscription.items.data[0]?.current_period_end ?? 0;
  const itemOf = (subscription: Stripe.Subscription) => subscription.items.data[0]?.id ?? '';

  test('a checkout session is created, listed, read with its line items, and expired', async () => {
    const customer = await stripe.customers.create({ name: 'Ada' });
    const session = await stripe.checkout.sessions.create({
      mode: 'payment',
      customer: customer.id,
      client_reference_id: 'order-1',
      line_items: [{ price: once.id, quantity: 2 }],
      success_url: 'https://souk.test/payment/result?session_id={CHECKOUT_SESSION_ID}',
      cancel_url: 'https://souk.test/payment/result?canceled=true',
      metadata: { orderId: 'order-1' },
    });
    expect(session).toMatchObject({
      amount_total: 2000,
      client_reference_id: 'order-1',
      livemode: false,
      metadata: { orderId: 'order-1' },
      payment_status: 'unpaid',
      status: 'open',
      success_url: 'https://souk.test/payment/result?session_id={CHECKOUT_SESSION_ID}',
    });
    expect(session.id).toMatch(/^cs_test_/);
    const read = await stripe.checkout.sessions.retrieve(session.id, { expand: ['line_items', 'customer'] });
    expect(read.line_items?.data).toMatchObject([{ quantity: 2, amount_total: 2000, price: { id: once.id } }]);
    expect(read.customer).toMatchObject({ name: 'Ada' });
    const items = await stripe.checkout.sessions.listLineItems(session.id);
    expect(items.data[0]?.price?.id).toBe(once.id);
    const listed = await stripe.checkout.sessions.list({ customer: customer.id });
    expect(listed.data.map(({ id }) => id)).toEqual([session.id]);
    expect(await stripe.checkout.sessions.expire(session.id)).toMatchObject({ status: 'expired', url: null });
    await expect(stripe.checkout.sessions.expire(session.id)).rejects.toMatchObject({ statusCode: 400 });
  });

  test('checkout refuses a price that is inactive, of the other mode, or unknown', async () => {
    const old = await stripe.prices.create({ product: String(once.product), currency: 'usd', unit_amount: 700 });
    await stripe.prices.update(old.id, { active: false });
    const open = (mode: 'payment' | 'subscription', price: string) =>
      stripe.checkout.sessions.create({
        mode,
        line_items: [{ price, quantity: 1 }],
        success_url: 'https://souk.test/',
      });
    await expect(open('payment', old.id)).rejects.toMatchObject({ statusCode: 400 });
    await expect(open('payment', monthly.id)).rejects.toMatchObject({ statusCode: 400 });
    await expect(open('subscription', once.id)).rejects.toMatchObject({ statusCode: 400 });
    await expect(open('payment', 'price_none')).rejects.toMatchObject({ statusCode: 400, code: 'resource_missing' });
  });

  test('a payment can be refunded in part, then the rest, and no more', async () => {
    const customer = await stripe.customers.create({ name: 'Ada' });
    const intent = await target.payOnce(once.id, customer.id, '4242424242424242');
    expect(intent).toMatchObject({ status: 'succeeded', amount_received: 1000 });
    const part = await stripe.refunds.create({ payment_intent: intent.id, amount: 300 });
    expect(part).toMatchObject({ status: 'succeeded', amount: 300, payment_intent: intent.id });
    expect(await stripe.refunds.create({ payment_intent: intent.id })).toMatchObject({ amount: 700 });
    await expect(stripe.refunds.create({ payment_intent: intent.id })).rejects.toMatchObject({
      code: 'charge_already_refunded',
    });
    const charge = await stripe.charges.retrieve(String(intent.latest_charge));
    expect(charge).toMatchObject({ amount_refunded: 1000, refunded: true });
    const { data } = await stripe.refunds.list({ payment_intent: intent.id });
    expect(data).toHaveLength(2);
  });

  test('a disputed payment cannot be refunded; the evidence decides', async () => {
    const customer = await stripe.customers.create({ name: 'Ada' });
    const intent = await target.payOnce(once.id, customer.id, '4000000000000259');
    const { data } = await stripe.disputes.list({ payment_intent: intent.id });
    expect(data).toMatchObject([{ amount: 1000, status: 'needs_response', reason: 'fraudulent' }]);
    await expect(stripe.refunds.create({ payment_intent: intent.id })).rejects.toMatchObject({
      code: 'charge_disputed',
    });
    const dispute = await stripe.disputes.update(data[0]?.id ?? '', {
      evidence: { uncategorized_text: 'winning_evidence' },
      submit: true,
    });
    expect(['won', 'under_review']).toContain(dispute.status);
  });

  test('a subscription renews each month, on the day it began', async () => {
    const { start, clock, customer } = await customerWithClock();
    const subscription = await target.subscribe(monthly.id, customer, '4242424242424242');
    expect(subscription).toMatchObject({ status: 'active', cancel_at_period_end: false, test_clock: clock });
    expect(endOf(subscription)).toBe(start + 31 * daySeconds);
    // the invoice is a draft for an hour
    await advance(stripe, clock, endOf(subscription) + 2 * 3600);
    const renewed = await stripe.subscriptions.retrieve(subscription.id, { expand: ['latest_invoice'] });
    expect(endOf(renewed)).toBe(start + 59 * daySeconds);
    expect(renewed.latest_invoice).toMatchObject({
      billing_reason: 'subscription_cycle',
      status: 'paid',
      amount_paid: 500,
      parent: { subscription_details: { subscription: subscription.id } },
    });
    const invoices = await stripe.invoices.list({ subscription: subscription.id });
    expect(invoices.data.map(({ billing_reason: reason }) => reason)).toEqual([
      'subscription_cycle',
      'subscription_create',
    ]);
    const payments = await stripe.invoicePayments.list({ invoice: invoices.data[0]?.id ?? '' });
    expect(payments.data).toMatchObject([{ status: 'paid', amount_paid: 500, payment: { type: 'payment_intent' } }]);
  });

  test('a subscription that is canceled at the end of its period can be resumed until then', async () => {
    const { clock, customer } = await customerWithClock();
    const { id } = await target.subscribe(monthly.id, customer, '4242424242424242');
    const cancelled = await stripe.subscriptions.update(id, { cancel_at_period_end: true });
    expect(cancelled).toMatchObject({ status: 'active', cancel_at_period_end: true, cancel_at: endOf(cancelled) });
    const resumed = await stripe.subscriptions.update(id, { cancel_at_period_end: false });
    expect(resumed).toMatchObject({
      status: 'active',
      cancel_at_period_end: false,
      cancel_at: null,
      canceled_at: null,
    });
    await stripe.subscriptions.update(id, { cancel_at_period_end: true });
    await advance(stripe, clock, endOf(cancelled) + 3600);
    expect(await stripe.subscriptions.retrieve(id)).toMatchObject({
      status: 'canceled',
      ended_at: endOf(cancelled),
      cancellation_details: { reason: 'cancellation_requested' },
    });
    expect((await stripe.subscriptions.list({ customer })).data).toEqual([]);
    expect((await stripe.subscriptions.list({ customer, status: 'all' })).data).toHaveLength(1);
    await expect(stripe.subscriptions.update(id, { cancel_at_period_end: false })).rejects.toMatchObject({
      statusCode: 400,
    });
  });

  test('an upgrade in mid-period costs what its preview says', async () => {
    const { start, clock, customer } = await customerWithClock();
    const subscription = await target.subscribe(monthly.id, customer, '4242424242424242');
    const at = start + 10 * daySeconds;
    await advance(stripe, clock, at);
    const items = [{ id: itemOf(subscription), price: dearer.id }];
    const preview = await stripe.invoices.createPreview({
      subscription: subscription.id,
      subscription_details: { items, proration_behavior: 'always_invoice', proration_date: at },
    });
    // 21 of 31 days are left: 10.16 for the new price, less 3.39 of the old one
    expect(preview).toMatchObject({ amount_due: 1016 - 339 });
    const upgraded = await stripe.subscriptions.update(subscription.id, {
      items,
      proration_behavior: 'always_invoice',
      proration_date: at,
      expand: ['latest_invoice'],
    });
    expect(upgraded.items.data[0]?.price.id).toBe(dearer.id);
    expect(upgraded.latest_invoice).toMatchObject({
      billing_reason: 'subscription_update',
      status: 'paid',
      amount_paid: preview.amount_due,
    });
    expect(endOf(upgraded)).toBe(endOf(subscription));
  });

  test('a downgrade without proration costs the lower price from the renewal on', async () => {
    const { clock, customer } = await customerWithClock();
    const subscription = await target.subscribe(dearer.id, customer, '4242424242424242');
    await stripe.subscriptions.update(subscription.id, {
      items: [{ id: itemOf(subscription), price: monthly.id }],
      proration_behavior: 'none',
    });
    await advance(stripe, clock, endOf(subscription) + 2 * 3600);
    const [invoice] = (await stripe.invoices.list({ subscription: subscription.id })).data;
    expect(invoice).toMatchObject({ billing_reason: 'subscription_cycle', amount_paid: 500 });
  });

  test('a renewal that fails makes the subscription past due', async () => {
    const { clock, customer } = await customerWithClock();
    const subscription = await target.subscribe(monthly.id, customer, '4000000000000341');
    await advance(stripe, clock, endOf(subscription) + 2 * 3600);
    const failed = await stripe.subscriptions.retrieve(subscription.id, { expand: ['latest_invoice'] });
    expect(failed.status).toBe('past_due');
    expect(failed.latest_invoice).toMatchObject({
      status: 'open',
      attempted: true,
      attempt_count: 1,
      amount_remaining: 500,
    });
  });

  test('an upgrade that the card refuses is not applied if the caller wants it so', async () => {
    const { start, clock, customer } = await customerWithClock();
    const subscription = await target.subscribe(monthly.id, customer, '4000000000000341');
    await advance(stripe, clock, start + daySeconds);
    const upgrade = stripe.subscriptions.update(subscription.id, {
      items: [{ id: itemOf(subscription), price: dearer.id }],
      proration_behavior: 'always_invoice',
      payment_behavior: 'error_if_incomplete',
    });
    await expect(upgrade).rejects.toMatchObject({ statusCode: 402, code: 'card_declined' });
    const same = await stripe.subscriptions.retrieve(subscription.id);
    expect(same).toMatchObject({ status: 'active' });
    expect(same.items.data[0]?.price.id).toBe(monthly.id);
  });

  test('a subscription is canceled immediately', async () => {
    const customer = await stripe.customers.create({ name: 'Ada' });
    const { id } = await target.subscribe(monthly.id, customer.id, '4242424242424242');
    expect(await stripe.subscriptions.cancel(id)).toMatchObject({ status: 'canceled' });
    await expect(stripe.subscriptions.cancel(id)).rejects.toMatchObject({ statusCode: 404 });
  });
});
