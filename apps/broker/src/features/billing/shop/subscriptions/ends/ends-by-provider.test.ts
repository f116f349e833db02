import { payOnPage } from '@souk/stripe-sandbox/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { waitUntil } from '#testing/wait-until.ts';
import { pay, settle, startShop, type Shop } from '../../checkout/testing/shop.ts';
import { moneyOf } from '../testing/money-of.ts';
import { refusedPlan } from '../testing/subscriber.ts';

const good = '4242424242424242';

let shop: Shop;
beforeAll(async () => {
  shop = await startShop();
});
afterEach(() => {
  shop.ahead.ms = 0;
  shop.control.resume();
});
afterAll(() => shop?.stop());

const basic = async () => (await shop.billing.offers.plans()).find(({ planId }) => planId === 'basic')?.amount ?? 0;
const pageOf = async (paymentId: string): Promise<string> => {
  const [invoice] = (await shop.stripe.invoices.list({ subscription: paymentId, limit: 1 })).data;
  return invoice?.hosted_invoice_url ?? '';
};
const payInvoice = async (paymentId: string) =>
  payOnPage(await pageOf(paymentId), good, {}, { origin: shop.publicUrl });

test('"End now" right after the user paid ends nothing, and says that it was paid', async () => {
  const { ann, paymentId } = await refusedPlan(shop, 'past_due', 32);
  await settle(shop);
  shop.control.pause();
  await payInvoice(paymentId);
  const params = { id: (await ann.plan())?.id ?? '' };
  await expect(ann.api.cancelSubscription({ params, body: { shown: 'past_due' } })).rejects.toMatchObject({
    status: 409,
    code: 'not_active',
    message: 'The Basic plan was paid in the meantime and continues. Nothing was changed. Check it and try again.',
  });
  shop.control.resume();
  await settle(shop);
  expect(await ann.plan()).toMatchObject({ status: 'active' });
});

test('a payment made while the plan is being ended is refunded in full, and grants nothing', async () => {
  const { ann, paymentId } = await refusedPlan(shop, 'past_due', 32);
  await settle(shop);
  const credits = await ann.credits();
  const held = shop.control.hold(`DELETE /v1/subscriptions/${paymentId}`, 'before');
  const ended = ann.api.cancelSubscription({ params: { id: (await ann.plan())?.id ?? '' } });
  await held.reached;
  await payInvoice(paymentId);
  held.release();
  expect(await ended).toMatchObject({ endsAt: null });
  await settle(shop);
  await shop.billing.payments?.subscriptions.retryReadings();
  await shop.billing.payments?.subscriptions.returnOwed();
  await settle(shop);
  expect(await moneyOf(shop, paymentId)).toEqual({ kept: await basic(), balance: 0 });
  expect(await ann.credits()).toBe(credits);
});

test.each(['the new one first', 'the old one first'] as const)(
  'of an unpaid plan and its replacement, both paid, one is kept: %s',
  async (order) => {
    const { ann, paymentId } = await refusedPlan(shop, 'unpaid', 50);
    shop.ahead.ms = 50 * 24 * 60 * 60_000;
    await waitUntil('it is unpaid', async () => (await ann.plan())?.status === 'unpaid');
    await settle(shop);
    const { checkoutUrl, sessionId } = await ann.api.startCheckout({ body: { type: 'subscription', planId: 'basic' } });
    shop.control.pause();
    const invoice = await ann.api.getOpenPayment({ params: { id: (await ann.plan())?.id ?? '' } });
    const payOld = () => payOnPage(invoice.paymentUrl, good, {}, { origin: shop.publicUrl });
    if (order === 'the old one first') await payOld();
    await pay(shop, checkoutUrl);
    if (order === 'the new one first') await payOld();
    shop.control.resume();
    await settle(shop);
    await waitUntil('the order is over', async () => {
      const { rows } = await shop.db.query(
        `select from checkout_orders where session_id = $1 and status in ('fulfilled', 'refunded')`,
        [sessionId],
      );
      return rows.length === 1;
    });
    await shop.billing.payments?.subscriptions.returnOwed();
    await settle(shop);
    const { subscription } = await shop.stripe.checkout.sessions.retrieve(sessionId);
    const statuses = await Promise.all(
      [paymentId, String(subscription)].map(async (id) => (await shop.stripe.subscriptions.retrieve(id)).status),
    );
    expect(statuses.filter((status) => status === 'active')).toHaveLength(1);
    expect((await moneyOf(shop, paymentId)).kept, 'the first month and one more').toBe(2 * (await basic()));
    expect((await ann.api.getSubscription()).subscription.subscriptions).toHaveLength(1);
  },
);
