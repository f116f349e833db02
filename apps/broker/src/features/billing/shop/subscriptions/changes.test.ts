import { payOnPage } from '@souk/stripe-sandbox/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { waitUntil } from '#testing/wait-until.ts';
import { startShop, type Shop } from '../checkout/testing/shop.ts';
import { checkLedger } from '../../credits/accounts/check-ledger.ts';
import { giveClock, newSubscriber, type Subscriber } from './testing/subscriber.ts';

let shop: Shop;
/** Cents a month. */
let amounts: Record<string, number>;
beforeAll(async () => {
  shop = await startShop();
  const plans = await shop.billing.offers.plans();
  amounts = Object.fromEntries(plans.map(({ planId, amount }) => [planId, amount]));
});
afterEach(async () => {
  const [fault] = await checkLedger(shop.db);
  if (fault) throw new Error(fault.fault);
});
afterAll(() => shop?.stop());

const idOf = async (person: Subscriber) => (await person.plan())?.id ?? '';
const change = async (person: Subscriber, planId: string, preview = false) =>
  preview
    ? person.api.changeSubscription({ params: { id: await idOf(person) }, body: { planId, preview } })
    : person.changePlan(planId);

test('an upgrade costs what its preview says, is paid immediately, and then gives the higher tier', async () => {
  const ann = await newSubscriber(shop);
  const paymentId = await ann.subscribe('basic');
  const difference = (amounts['pro'] ?? 0) - (amounts['basic'] ?? 0);
  const preview = await change(ann, 'pro', true);
  expect(preview.change).toMatchObject({
    planId: 'pro',
    kind: 'upgrade',
    amountDue: difference,
    nextAmount: amounts['pro'],
    paymentMethod: { type: 'card', brand: 'visa', last4: '4242' },
  });
  const [before, periodEnd] = [await ann.plan(), (await ann.plan())?.currentPeriodEnd];
  expect(before).toMatchObject({
    mcpId: 'basic',
    charge: { amountCents: amounts['basic'], currency: 'USD', at: periodEnd },
  });
  const changed = await change(ann, 'pro');
  expect(changed).toMatchObject({ message: 'You are on the Pro plan now.', paymentUrl: null });
  expect(await ann.plan()).toMatchObject({ mcpId: 'pro', nextPlanId: null, status: 'active' });
  expect((await ann.api.getSubscription()).activeTiers).toEqual(['T0', 'T1', 'T2']);
  expect(await ann.history()).toEqual([
    `subscription_create completed ${amounts['basic']}`,
    `subscription_update completed ${difference}`,
  ]);
  const { data } = await shop.stripe.invoices.list({ subscription: paymentId });
  expect(data).toHaveLength(2);
});

test('concurrent clicks upgrade once: one payment, and one row in the history', async () => {
  const ann = await newSubscriber(shop);
  await ann.subscribe('basic');
  const difference = (amounts['pro'] ?? 0) - (amounts['basic'] ?? 0);
  const { confirm } = await ann.lookAtPlan('pro');
  await Promise.all([1, 2, 3].map(() => confirm()));
  await shop.billing.payments?.events.idle();
  expect(await ann.plan()).toMatchObject({ mcpId: 'pro' });
  expect(await ann.history()).toEqual([
    `subscription_create completed ${amounts['basic']}`,
    `subscription_update completed ${difference}`,
  ]);
});

test('an upgrade that the card does not pay changes nothing', async () => {
  const ann = await newSubscriber(shop);
  await ann.subscribe('basic', '4000000000000341');
  await expect(change(ann, 'pro')).rejects.toMatchObject({ status: 402, code: 'payment_failed' });
  expect(await ann.plan()).toMatchObject({ mcpId: 'basic', nextPlanId: null, status: 'active' });
  expect((await ann.api.getSubscription()).activeTiers).toEqual(['T0', 'T1']);
});

test('a downgrade begins with the next period, is shown until then, and can be undone', async () => {
  const ann = await newSubscriber(shop);
  const clock = await giveClock(shop, await ann.subscribe('pro'));
  const { currentPeriodEnd } = (await ann.plan()) ?? {};
  const { change: chosen } = await change(ann, 'basic');
  expect(chosen).toMatchObject({ kind: 'downgrade', amountDue: 0, nextAmount: amounts['basic'], at: currentPeriodEnd });
  expect(await ann.plan()).toMatchObject({
    mcpId: 'pro',
    nextPlanId: 'basic',
    charge: { amountCents: amounts['basic'], at: currentPeriodEnd },
  });
  await expect(change(ann, 'enterprise')).rejects.toMatchObject({
    status: 400,
    message: 'You chose Basic for the next period. Keep Pro first, then upgrade.',
  });
  const params = { id: await idOf(ann) };
  await ann.api.cancelSubscription({ params });
  const { rows } = await shop.db.query(
    `select description from transactions where user_id = $1 and type = 'subscription_cancel'`,
    [ann.userId],
  );
  expect(rows).toEqual([{ description: 'Cancellation: Pro plan' }]);
  expect(await ann.plan(), 'nothing more is charged').toMatchObject({
    status: 'canceled',
    charge: null,
    chargeIfResumed: { amountCents: amounts['basic'], at: currentPeriodEnd },
  });
  await ann.api.resumeSubscription({ params });
  await change(ann, 'pro');
  expect(await ann.plan()).toMatchObject({ mcpId: 'pro', nextPlanId: null });
  await change(ann, 'basic');
  await clock.advanceDays(32);
  await waitUntil('the renewal', async () => (await ann.history()).length === 6);
  expect(await ann.plan()).toMatchObject({ mcpId: 'basic', nextPlanId: null });
  const { rows: decisions } = await shop.db.query(
    'select description from transactions where user_id = $1 and amount = 0 order by created_at, id',
    [ann.userId],
  );
  expect(
    decisions.map(({ description }) => description),
    'each with the time of its last change',
  ).toEqual(['Cancellation: Pro plan', 'Resumed: Pro plan', 'Kept: Pro plan', 'From the next period: Basic plan']);
  expect(await ann.history()).toEqual([
    `subscription_create completed ${amounts['pro']}`,
    'subscription_cancel completed 0',
    ...Array.from({ length: 3 }, () => 'subscription_update completed 0'),
    `subscription_update completed ${amounts['basic']}`,
  ]);
});

test('a change that is not possible is refused, with the reason', async () => {
  const ann = await newSubscriber(shop);
  await ann.subscribe('basic');
  await expect(change(ann, 'basic')).rejects.toMatchObject({ code: 'invalid_request' });
  await expect(change(ann, 'free')).rejects.toMatchObject({ code: 'invalid_request' });
  await expect(change(ann, 'nothing')).rejects.toMatchObject({ status: 404, code: 'plan_not_found' });
  const bob = await newSubscriber(shop);
  const params = { id: await idOf(ann) };
  const foreign = { params, body: { planId: 'pro', preview: true } };
  await expect(bob.api.changeSubscription(foreign)).rejects.toMatchObject({ status: 404 });
  await expect(bob.api.cancelSubscription({ params })).rejects.toMatchObject({ status: 404 });
  expect(await ann.plan()).toMatchObject({ mcpId: 'basic', status: 'active' });
});

test('a failed renewal keeps access, past due; once paid, it continues, with the credits of the month', async () => {
  const ann = await newSubscriber(shop);
  const paymentId = await ann.subscribe('basic', '4000000000000341');
  const clock = await giveClock(shop, paymentId);
  await clock.advanceDays(32);
  await waitUntil('it is past due', async () => (await ann.plan())?.status === 'past_due');
  expect((await ann.api.getSubscription()).activeTiers).toEqual(['T0', 'T1']);
  const id = await idOf(ann);
  await expect(change(ann, 'pro')).rejects.toMatchObject({ code: 'not_active' });
  const before = await ann.credits();
  const { paymentUrl, ...due } = await ann.api.getOpenPayment({ params: { id } });
  expect(due).toEqual({ success: true, amountDue: amounts['basic'], currency: 'USD' });
  const other = await newSubscriber(shop);
  await expect(other.api.getOpenPayment({ params: { id } })).rejects.toMatchObject({ status: 404 });
  await payOnPage(paymentUrl, '4242424242424242', {}, { origin: shop.publicUrl });
  await waitUntil('it is active again', async () => (await ann.plan())?.status === 'active');
  await waitUntil('the credits have arrived', async () => (await ann.credits()) > before);
  expect(await ann.history()).toHaveLength(2);
  await expect(ann.api.getOpenPayment({ params: { id } })).rejects.toMatchObject({
    message: 'There is nothing to pay',
  });
});
