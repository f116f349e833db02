import { payOnPage } from '@souk/stripe-sandbox/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { waitUntil } from '#testing/wait-until.ts';
import { newBuyer, pay, settle, startShop, type Shop } from '../checkout/testing/shop.ts';
import { readBillingNeeds } from '../needs/read-billing-needs.ts';
import { giveClock, newSubscriber } from '../subscriptions/testing/subscriber.ts';

// Refunds count by amount: ours, those that the operator makes by hand, and only what the bank has carried out.

let shop: Shop;
beforeAll(async () => {
  shop = await startShop();
});
afterEach(() => shop.control.resume());
afterAll(() => shop?.stop());

const payments = () => {
  const { payments: found } = shop.billing;
  if (!found) throw new Error('nothing is sold');
  return found;
};
const historyOf = async (userId: string) => {
  const { rows } = await shop.db.query<{ type: string; status: string; amount: number; description: string }>(
    'select type, status, amount, description from transactions where user_id = $1 order by created_at, type, amount',
    [userId],
  );
  return rows;
};

/** Creates a payment that does not match its order. */
async function flaggedOrder() {
  const buyer = await newBuyer(shop);
  const [one] = await shop.billing.offers.packages();
  const body = { type: 'credit' as const, planId: one?.packageId ?? '' };
  const { checkoutUrl, sessionId } = await buyer.api.startCheckout({ body });
  await shop.db.query(`update checkout_orders set price_id = 'price_other' where session_id = $1`, [sessionId]);
  await pay(shop, checkoutUrl);
  const order = async () => {
    const { rows } = await shop.db.query<{ id: string; status: string; reason: string; trouble: string | null }>(
      'select id, status, reason, trouble from checkout_orders where session_id = $1',
      [sessionId],
    );
    return rows[0];
  };
  await waitUntil('it is flagged', async () => (await order())?.status === 'flagged');
  const intent = String((await shop.stripe.checkout.sessions.retrieve(sessionId)).payment_intent);
  return { buyer, order, intent, price: one?.price ?? 0 };
}

const sumOfRefunds = async (payment_intent: string) =>
  (await shop.stripe.refunds.list({ payment_intent })).data
    .filter(({ status }) => status === 'succeeded')
    .reduce((sum, { amount }) => sum + amount, 0);

test("a flagged payment is in the buyer's history immediately, as a payment that is being checked", async () => {
  const { buyer, price } = await flaggedOrder();
  expect(await historyOf(buyer.userId)).toMatchObject([{ type: 'credit_purchase', status: 'pending', amount: price }]);
});

test('a part that was refunded by hand, after the provider refused our refund, is not the whole: the rest stays owed', async () => {
  const { buyer, order, intent, price } = await flaggedOrder();
  const { flagged } = payments().checkout;
  const first = await order();
  shop.control.failNext('/v1/refunds', 'refused');
  await flagged.decide(first?.id ?? '', 'return');
  expect(await order()).toMatchObject({ status: 'flagged', reason: first?.reason });
  expect((await order())?.trouble).toContain('refused');
  await shop.stripe.refunds.create({ payment_intent: intent, amount: 95 });
  await settle(shop);
  expect(await order(), 'a part is not the whole').toMatchObject({ status: 'flagged' });
  const { flaggedOrders } = await readBillingNeeds(shop.db.query, { livemode: false, nowMs: Date.now() });
  expect(flaggedOrders.items.map(({ orderId }) => orderId)).toContain(first?.id);
  await flagged.decide(first?.id ?? '', 'return');
  await settle(shop);
  expect(await order()).toMatchObject({ status: 'refunded', reason: first?.reason });
  expect(await sumOfRefunds(intent)).toBe(price);
  expect(await historyOf(buyer.userId)).toMatchObject([
    { type: 'credit_purchase', status: 'refunded', amount: price },
    { type: 'refund', status: 'completed', amount: 95 },
    {
      type: 'refund',
      status: 'completed',
      amount: price - 95,
      description: expect.stringContaining('not what was ordered'),
    },
  ]);
});

test('a flagged payment that is refunded by hand in parts is done with the last part', async () => {
  const { buyer, order, intent, price } = await flaggedOrder();
  for (const amount of [95, price - 95]) {
    expect(await order()).toMatchObject({ status: 'flagged' });
    await shop.stripe.refunds.create({ payment_intent: intent, amount });
    await settle(shop);
  }
  expect(await order()).toMatchObject({ status: 'refunded' });
  expect((await historyOf(buyer.userId))[0]).toMatchObject({ status: 'refunded', amount: price });
});

test('if part of a payment after the end was refunded by hand, the rest stays owed, is retried and reported', async () => {
  const ann = await newSubscriber(shop);
  const paymentId = await ann.subscribe('basic', '4000000000000341');
  const clock = await giveClock(shop, paymentId);
  await clock.advanceDays(32);
  await waitUntil('it is past due', async () => (await ann.plan())?.status === 'past_due');
  await settle(shop);
  const [invoice] = (await shop.stripe.invoices.list({ subscription: paymentId, limit: 1 })).data;
  shop.control.pause();
  await shop.stripe.subscriptions.cancel(paymentId);
  await clock.advanceDays(1);
  await payOnPage(invoice?.hosted_invoice_url ?? '', '4242424242424242', {}, { origin: shop.publicUrl });
  const { data } = await shop.stripe.invoicePayments.list({ invoice: invoice?.id ?? '' });
  const intent = String(data.find(({ status }) => status === 'paid')?.payment.payment_intent);
  await shop.stripe.refunds.create({ payment_intent: intent, amount: 95 });
  shop.control.failNext('/v1/refunds', 'refused');
  await payments().subscriptions.sync(paymentId);
  const owed = async () =>
    (await readBillingNeeds(shop.db.query, { livemode: false, nowMs: Date.now() })).failedRefunds.items.filter(
      ({ userId }) => userId === ann.userId,
    );
  expect(await owed()).toMatchObject([{ amountCents: (invoice?.amount_paid ?? 0) + (invoice?.amount_due ?? 0) - 95 }]);
  shop.ahead.ms += 25 * 60 * 60_000;
  await payments().subscriptions.returnOwed();
  expect(await sumOfRefunds(intent)).toBe(invoice?.amount_due);
  expect(await owed()).toEqual([]);
});

test('a refused refund by an administrator is made a day later, less what was refunded by hand', async () => {
  const ann = await newSubscriber(shop);
  const { intentId, price } = await ann.buyCredits();
  await settle(shop);
  const { rows } = await shop.db.query<{ id: string }>('select id from transactions where payment_intent_id = $1', [
    intentId,
  ]);
  const { refunds } = payments();
  const payment = { invoiceId: '', paymentIntentId: intentId, amount: price };
  const wanted = { userId: ann.userId, transactionId: rows[0]?.id ?? '', currency: 'USD', payment };
  const id = await shop.db.transaction((query) => refunds.wantPayment(query, wanted));
  shop.control.failNext('/v1/refunds', 'refused');
  await refunds.payAll(await refunds.find([id]));
  expect(await refunds.find([id])).toMatchObject([{ state: 'failed' }]);
  await shop.stripe.refunds.create({ payment_intent: intentId, amount: 95 });
  shop.ahead.ms += 25 * 60 * 60_000;
  await refunds.payDue();
  expect(await refunds.find([id])).toMatchObject([{ state: 'refunded', amount: price }]);
  expect(await sumOfRefunds(intentId)).toBe(price);
});
