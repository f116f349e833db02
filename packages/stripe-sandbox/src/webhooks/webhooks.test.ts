import { Stripe } from 'stripe';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { payOnPage } from '../testing/pay-on-page.ts';
import { startReceiver, startTestSandbox, type Received, type TestSandbox } from '../testing/start-test-sandbox.ts';

type Receiver = Awaited<ReturnType<typeof startReceiver>>;

let receiver: Receiver;
let sandbox: TestSandbox;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.stop());
beforeEach(async () => {
  receiver.received.length = 0;
  sandbox = await startTestSandbox({ webhook: receiver.webhook });
});
afterEach(() => sandbox.stop());

async function pay(card: string) {
  const { stripe, origin } = sandbox;
  const product = await stripe.products.create({ name: 'Credits' });
  const price = await stripe.prices.create({ product: product.id, currency: 'usd', unit_amount: 1000 });
  const session = await stripe.checkout.sessions.create({
    mode: 'payment',
    line_items: [{ price: price.id, quantity: 1 }],
    success_url: `${origin}/done`,
  });
  await payOnPage(session.url ?? '', card);
  const { payment_intent: intent } = await stripe.checkout.sessions.retrieve(session.id);
  const { latest_charge: charge } = await stripe.paymentIntents.retrieve(String(intent));
  return { session: session.id, charge: String(charge) };
}
const has = (type: string) => (received: readonly Received[]) => received.some(({ event }) => event.type === type);
const times = (type: string) => receiver.types().filter((each) => each === type).length;

test('every event is sent and signed, and has the state that the object had then', async () => {
  const { session } = await pay('4242424242424242');
  await receiver.until(has('checkout.session.completed'));
  const completed = receiver.received.find(({ event }) => event.type === 'checkout.session.completed')?.event;
  expect(completed).toMatchObject({
    object: 'event',
    api_version: '2026-10-28.endive',
    livemode: false,
    data: { object: { id: session, payment_status: 'paid', status: 'complete' } },
  });
  expect(receiver.types()).toEqual(expect.arrayContaining(['charge.succeeded', 'payment_intent.succeeded']));
  const read = await sandbox.stripe.events.retrieve(completed?.id ?? '');
  expect(read.data.object).toEqual(completed?.data.object);
});

test('a refused webhook is sent again with the same event and a new signature', async () => {
  let now = Date.now();
  await sandbox.stop();
  sandbox = await startTestSandbox({
    webhook: receiver.webhook,
    clock: { now: () => (now += 10_000) && now - 50_000 },
  });
  receiver.answerNext(500, 503);
  const stripe = new Stripe('sk_test_sandbox_tests');
  await sandbox.stripe.customers.create({ name: 'Ada' });
  await receiver.until((received) => received.length === 3);
  const [first, second, third] = receiver.received;
  expect(new Set(receiver.received.map(({ event }) => event.id)).size).toBe(1);
  expect(first?.signature).not.toBe(second?.signature);
  expect(second?.signature).not.toBe(third?.signature);
  expect(() => stripe.webhooks.constructEvent('{}', first?.signature ?? '', receiver.webhook.secret)).toThrow(
    /signature/,
  );
  await expect.poll(async () => (await sandbox.stripe.events.retrieve(first?.event.id ?? '')).pending_webhooks).toBe(0);
});

test('undelivered events can be listed with delivery_success', async () => {
  sandbox.control.drop(1000, 'customer.created');
  const { id } = await sandbox.stripe.customers.create({ name: 'Ada' });
  await sandbox.stripe.products.create({ name: 'delivered' });
  await receiver.until(has('product.created'));
  const missed = async () => (await sandbox.stripe.events.list({ delivery_success: false })).data;
  await expect.poll(async () => (await missed()).map(({ type }) => type)).toEqual(['customer.created']);
  const [event] = await missed();
  expect(event?.data.object).toMatchObject({ id });
  const { data } = await sandbox.stripe.events.list({ types: ['customer.created', 'price.created'] });
  expect(data.map((each) => each.id)).toEqual([event?.id]);
  expect(receiver.types()).not.toContain('customer.created');
});

test('queued webhooks are sent after a restart; a stop does not count as an attempt', async () => {
  await sandbox.stop();
  const { storage } = sandbox.options;
  // the only attempt
  const options = { storage, webhook: receiver.webhook, retryAfterMs: [] };
  sandbox = await startTestSandbox(options);
  sandbox.control.pause();
  const ids: string[] = [];
  for (let count = 0; count < 12; count++) ids.push((await sandbox.stripe.customers.create({ name: 'Ada' })).id);
  await sandbox.stop();
  expect(receiver.received).toEqual([]);
  sandbox = await startTestSandbox(options);
  await receiver.until((received) => received.length === 12);
  const told = receiver.received.map(({ event }) => (event.type === 'customer.created' ? event.data.object.id : ''));
  expect(told.sort()).toEqual(ids.sort());
});

test('a webhook is given up after its last attempt, and stays undelivered', async () => {
  await sandbox.stop();
  sandbox = await startTestSandbox({ webhook: receiver.webhook, retryAfterMs: [5, 5] });
  receiver.answerNext(500, 500, 500);
  await sandbox.stripe.customers.create({ name: 'Ada' });
  await receiver.until((received) => received.length === 3);
  await sandbox.stripe.products.create({ name: 'Notes' });
  await receiver.until(has('product.created'));
  expect(receiver.types()).toEqual(['customer.created', 'customer.created', 'customer.created', 'product.created']);
  const { data } = await sandbox.stripe.events.list({ delivery_success: false });
  expect(data.map(({ type }) => type)).toContain('customer.created');
});

test('an endpoint that is created by the API gets the events that it requests, with its own secret', async () => {
  const own = await sandbox.stripe.webhookEndpoints.create({
    url: receiver.webhook.url,
    enabled_events: ['product.created'],
  });
  expect(own.secret).toMatch(/^whsec_/);
  expect(await sandbox.stripe.webhookEndpoints.retrieve(own.id)).not.toHaveProperty('secret');
  await sandbox.stripe.webhookEndpoints.del(own.id);
  expect((await sandbox.stripe.webhookEndpoints.list()).data.map(({ id }) => id)).toEqual(['we_own']);
});

test('the control plane duplicates, holds back, shuffles and replays webhooks', async () => {
  const { control, stripe } = sandbox;
  control.duplicate(3);
  await stripe.customers.create({ name: 'Ada' });
  await receiver.until((received) => received.length === 3);
  expect(new Set(receiver.received.map(({ event }) => event.id)).size).toBe(1);
  control.duplicate(1);

  control.pause();
  let sent = 0;
  control.shuffle(() => (sent += 1) && 0.5);
  await stripe.products.create({ name: 'Later' });
  await expect.poll(() => sent).toBeGreaterThan(0);
  // a webhook that is not held back arrives before ten requests are answered
  for (let round = 0; round < 10; round++) await stripe.products.list();
  expect(times('product.created')).toBe(0);
  control.resume();
  await receiver.until(has('product.created'));

  const orders: number[] = [];
  control.shuffle(() => {
    orders.push(1);
    return 0.99;
  });
  await pay('4242424242424242');
  await receiver.until(has('checkout.session.completed'));
  expect(orders.length).toBeGreaterThan(0);

  const { event } = receiver.received.find(({ event }) => event.type === 'checkout.session.completed') ?? {};
  await control.replay(event?.id ?? '');
  await receiver.until(() => times('checkout.session.completed') === 2);
});

test('a card or the control plane opens a dispute, which is then decided', async () => {
  const { control, stripe } = sandbox;
  await pay('4000000000000259');
  await receiver.until(has('charge.dispute.created'));
  const { charge } = await pay('4242424242424242');
  const dispute = await control.openDispute(charge);
  await receiver.until(() => times('charge.dispute.created') === 2);
  await control.closeDispute(dispute, 'won');
  await receiver.until(has('charge.dispute.funds_reinstated'));
  expect(await stripe.disputes.retrieve(dispute)).toMatchObject({ status: 'won' });
});

test('a renewal, a refund and a cancellation are reported', async () => {
  const { stripe, origin } = sandbox;
  const start = Date.UTC(2027, 0, 15) / 1000;
  const clock = await stripe.testHelpers.testClocks.create({ frozen_time: start });
  const customer = await stripe.customers.create({ test_clock: clock.id });
  const product = await stripe.products.create({ name: 'Notes' });
  const price = await stripe.prices.create({
    product: product.id,
    currency: 'usd',
    unit_amount: 500,
    recurring: { interval: 'month' },
  });
  const session = await stripe.checkout.sessions.create({
    mode: 'subscription',
    customer: customer.id,
    line_items: [{ price: price.id, quantity: 1 }],
    success_url: `${origin}/done`,
  });
  await payOnPage(session.url ?? '', '4242424242424242');
  await receiver.until(has('checkout.session.completed'));
  expect(receiver.types()).toEqual(expect.arrayContaining(['customer.subscription.created', 'invoice.paid']));
  await stripe.testHelpers.testClocks.advance(clock.id, { frozen_time: Date.UTC(2027, 1, 16) / 1000 });
  await receiver.until(() => times('invoice.paid') === 2);
  expect(times('customer.subscription.updated')).toBe(1);
  const [charge] = (await stripe.charges.list({ customer: customer.id })).data;
  await stripe.refunds.create({ charge: charge?.id ?? '' });
  await receiver.until(has('refund.created'));
  await receiver.until(has('charge.refunded'));
  const { subscription } = await stripe.checkout.sessions.retrieve(session.id);
  await stripe.subscriptions.cancel(String(subscription));
  await receiver.until(has('customer.subscription.deleted'));
});
