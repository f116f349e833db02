import { payOnPage } from '@souk/stripe-sandbox/testing';
import type { Stripe } from 'stripe';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { waitUntil } from '#testing/wait-until.ts';
import { settle, startShop, type Shop } from '../checkout/testing/shop.ts';
import { checkLedger } from '../../credits/accounts/check-ledger.ts';
import { intentOf } from '../refunds/testing/refunds-at-provider.ts';
import { giveClock, newSubscriber, type Subscriber } from './testing/subscriber.ts';

const minuteMs = 60_000;
/** A card that asks for 3-D Secure at each payment. */
const careful = '4000002760003184';

let shop: Shop;
/** Cents a month. */
let amounts: Record<string, number>;
beforeAll(async () => {
  shop = await startShop();
  const plans = await shop.billing.offers.plans();
  amounts = Object.fromEntries(plans.map(({ planId, amount }) => [planId, amount]));
});
beforeEach(() => (shop.ahead.ms = 0));
afterEach(async () => {
  shop.control.delay(0);
  const [fault] = await checkLedger(shop.db);
  if (fault) throw new Error(fault.fault);
});
afterAll(() => shop?.stop());

type Change = Parameters<Subscriber['api']['changeSubscription']>[0]['body'];
async function change(person: Subscriber, body: Omit<Change, 'preview'> & { preview?: boolean }) {
  const id = (await person.plan())?.id ?? '';
  const send = (sent: Change) => person.api.changeSubscription({ params: { id }, body: sent });
  if (body.preview === true || body.shown) return send({ preview: false, ...body });
  const { amountDue, nextAmount, prorationDate } = (await send({ ...body, preview: true })).change;
  const at = prorationDate === null ? {} : { prorationDate };
  return send({ preview: false, shown: { amountDue, nextAmount }, ...at, ...body });
}

/** Subscribes to Basic and lets some days pass at the provider, so that the price of a day shows. */
async function subscribed(days: number, card?: string) {
  const ann = await newSubscriber(shop);
  const paymentId = await ann.subscribe('basic', card);
  const clock = await giveClock(shop, paymentId);
  await clock.advanceDays(days);
  shop.ahead.ms = days * 24 * 60 * minuteMs;
  return { ann, paymentId, clock };
}

test('the amount that a preview shows is the amount that is paid, also minutes later', async () => {
  const { ann, paymentId } = await subscribed(10);
  const { change: shown } = await change(ann, { planId: 'enterprise', preview: true });
  shop.ahead.ms += 14 * minuteMs;
  const later = await change(ann, { planId: 'enterprise', preview: true });
  expect(later.change.amountDue, 'a quarter of an hour costs cents').toBeLessThan(shown.amountDue);
  const { prorationDate } = shown;
  if (prorationDate === null) throw new Error('there is no date');
  const { change: made } = await change(ann, { planId: 'enterprise', prorationDate });
  expect(made.amountDue).toBe(shown.amountDue);
  const [invoice] = (await shop.stripe.invoices.list({ subscription: paymentId })).data;
  expect(invoice).toMatchObject({ status: 'paid', amount_paid: shown.amountDue });
  expect((await ann.history()).at(-1)).toBe(`subscription_update completed ${shown.amountDue}`);
});

test('a preview is valid for 15 minutes, and not before its time', async () => {
  const { ann } = await subscribed(10);
  const { change: shown } = await change(ann, { planId: 'pro', preview: true });
  const prorationDate = shown.prorationDate ?? 0;
  for (const wrong of [prorationDate - 16 * 60, 0])
    await expect(change(ann, { planId: 'pro', prorationDate: wrong })).rejects.toMatchObject({
      status: 409,
      code: 'price_changed',
    });
  await expect(change(ann, { planId: 'pro', prorationDate: prorationDate + 3600 })).rejects.toMatchObject({
    status: 400,
    code: 'invalid_request',
  });
  shop.ahead.ms += 16 * minuteMs;
  await expect(change(ann, { planId: 'pro', prorationDate })).rejects.toMatchObject({ code: 'price_changed' });
  expect(await ann.plan()).toMatchObject({ mcpId: 'basic' });
  const { change: lower } = await change(ann, { planId: 'pro' }).then(() =>
    change(ann, { planId: 'basic', preview: true }),
  );
  expect(lower).toMatchObject({ kind: 'downgrade', prorationDate: null });
});

test('a change to a plan whose price has changed since the preview changes nothing', async () => {
  const { ann } = await subscribed(10);
  const shownOf = async (planId: string) => {
    const { amountDue, nextAmount, prorationDate } = (await change(ann, { planId, preview: true })).change;
    return { planId, shown: { amountDue, nextAmount }, ...(prorationDate !== null && { prorationDate }) };
  };
  const { offers, prices } = shop.billing;
  const before = { plans: await offers.plans(), packages: await offers.packages() };
  const priced = async (planId: string, amount: number) => {
    const plans = before.plans.map((plan) => (plan.planId === planId ? { ...plan, amount } : plan));
    await offers.replace({ ...before, plans });
    await prices.synced();
  };
  try {
    const higher = await shownOf('pro');
    await priced('pro', 2900);
    await expect(change(ann, higher)).rejects.toMatchObject({ status: 409, code: 'price_changed' });
    expect(await ann.plan()).toMatchObject({ mcpId: 'basic' });
    expect(await ann.history()).toHaveLength(1);
    await change(ann, await shownOf('pro'));
    expect(await ann.plan()).toMatchObject({ mcpId: 'pro' });
    const lower = await shownOf('basic');
    await priced('basic', 600);
    await expect(change(ann, lower)).rejects.toMatchObject({ status: 409, code: 'price_changed' });
    expect(await ann.plan()).toMatchObject({ nextPlanId: null });
    await change(ann, await shownOf('basic'));
    expect(await ann.plan()).toMatchObject({ nextPlanId: 'basic' });
  } finally {
    await offers.replace(before);
    await prices.synced();
  }
});

test('a preview is not valid for the next period', async () => {
  const { ann, clock } = await subscribed(10);
  const { currentPeriodEnd } = (await ann.plan()) ?? {};
  shop.ahead.ms = Date.parse(currentPeriodEnd ?? '') - Date.now() - 2 * minuteMs;
  const { change: shown } = await change(ann, { planId: 'pro', preview: true });
  await clock.advanceDays(22);
  await waitUntil('the renewal', async () => (await ann.history()).length === 2);
  shop.ahead.ms += 4 * minuteMs;
  await expect(change(ann, { planId: 'pro', prorationDate: shown.prorationDate ?? 0 })).rejects.toMatchObject({
    status: 409,
    code: 'price_changed',
  });
});

test('an upgrade that asks for 3-D Secure leads to a page, and begins once it is paid there', async () => {
  const ann = await newSubscriber(shop);
  const paymentId = await ann.subscribe('basic', careful);
  const { change: shown } = await change(ann, { planId: 'pro', preview: true });
  const asked = await change(ann, { planId: 'pro' });
  expect(asked.message).toBe('Your bank asks you to confirm the payment. The Pro plan begins once it is paid.');
  expect(asked.paymentUrl).toContain(`${shop.publicUrl}/dev-stripe/invoice/`);
  await shop.billing.payments?.events.idle();
  const waiting = await ann.plan();
  expect(waiting).toMatchObject({ mcpId: 'basic', status: 'active', nextPlanId: null, pendingPlanId: 'pro' });
  expect(Date.parse(waiting?.pendingUntil ?? ''), 'a day at most').toBeLessThan(Date.now() + 24 * 60 * minuteMs);
  expect((await ann.api.getSubscription()).activeTiers).toEqual(['T0', 'T1']);
  expect(await ann.history()).toEqual([`subscription_create completed ${amounts['basic']}`]);
  // a second click makes no second payment, and the page is also found later
  expect((await change(ann, { planId: 'pro' })).paymentUrl).toBe(asked.paymentUrl);
  const { data: open } = await shop.stripe.invoices.list({ subscription: paymentId, status: 'open' });
  expect(open).toHaveLength(1);
  const { id = '' } = (await ann.plan()) ?? {};
  expect(await ann.api.getOpenPayment({ params: { id } })).toMatchObject({
    paymentUrl: asked.paymentUrl,
    amountDue: shown.amountDue,
  });
  await payOnPage(asked.paymentUrl ?? '', careful, {}, { origin: shop.publicUrl });
  await waitUntil('the higher plan to be active', async () => (await ann.plan())?.mcpId === 'pro');
  expect(await ann.plan()).toMatchObject({ pendingPlanId: null, pendingUntil: null });
  expect((await ann.api.getSubscription()).activeTiers).toEqual(['T0', 'T1', 'T2']);
  expect(await ann.history()).toEqual([
    `subscription_create completed ${amounts['basic']}`,
    `subscription_update completed ${shown.amountDue}`,
  ]);
});

test('an upgrade that is not confirmed is dropped after a day, and costs nothing', async () => {
  const { ann, paymentId, clock } = await subscribed(1, careful);
  const { paymentUrl } = await change(ann, { planId: 'pro' });
  expect(paymentUrl).not.toBeNull();
  // another choice replaces it
  const other = await change(ann, { planId: 'enterprise' });
  expect(other.paymentUrl).not.toBe(paymentUrl);
  expect((await payOnPage(paymentUrl ?? '', careful, {}, { origin: shop.publicUrl })).status).toBe(200);
  expect(await ann.plan()).toMatchObject({ mcpId: 'basic', pendingPlanId: 'enterprise' });
  await clock.advanceDays(1);
  await waitUntil('the upgrade is dropped', async () => (await ann.plan())?.pendingPlanId === null);
  expect(await ann.plan()).toMatchObject({ mcpId: 'basic', status: 'active' });
  const { data } = await shop.stripe.invoices.list({ subscription: paymentId });
  expect(data.map(({ status }) => status)).toEqual(['void', 'void', 'paid']);
  expect(await ann.history()).toHaveLength(1);
});

test('canceling a plan drops the upgrade that waits for payment: it can no longer be paid, here or in the portal', async () => {
  for (const where of ['here', 'portal'] as const) {
    const ann = await newSubscriber(shop);
    const paymentId = await ann.subscribe('basic', careful);
    const { paymentUrl } = await change(ann, { planId: 'pro' });
    await shop.billing.payments?.events.idle();
    const { id = '' } = (await ann.plan()) ?? {};
    if (where === 'here') await ann.api.cancelSubscription({ params: { id } });
    else await shop.stripe.subscriptions.update(paymentId, { cancel_at_period_end: true });
    await waitUntil('it is dropped', async () => (await ann.plan())?.pendingPlanId === null);
    expect(await ann.plan()).toMatchObject({ mcpId: 'basic', status: 'canceled', pendingUntil: null });
    await expect(ann.api.getOpenPayment({ params: { id } })).rejects.toMatchObject({ status: 404 });
    await payOnPage(paymentUrl ?? '', careful, {}, { origin: shop.publicUrl });
    await shop.billing.payments?.events.idle();
    const now = await shop.stripe.subscriptions.retrieve(paymentId, { expand: ['latest_invoice'] });
    expect(now, where).toMatchObject({ pending_update: null, latest_invoice: { status: 'void' } });
    expect(await ann.history(), where).toEqual([
      `subscription_create completed ${amounts['basic']}`,
      'subscription_cancel completed 0',
    ]);
    // once the plan continues, the upgrade can be chosen again
    await ann.api.resumeSubscription({ params: { id } });
    const again = await change(ann, { planId: 'pro' });
    expect(again.paymentUrl).not.toBe(paymentUrl);
    await payOnPage(again.paymentUrl ?? '', careful, {}, { origin: shop.publicUrl });
    await waitUntil('the higher plan is active', async () => (await ann.plan())?.mcpId === 'pro');
  }
});

test('an upgrade that is paid while the plan is being canceled begins, and nothing is canceled', async () => {
  const ann = await newSubscriber(shop);
  const paymentId = await ann.subscribe('basic', careful);
  const { paymentUrl } = await change(ann, { planId: 'pro' });
  await settle(shop);
  const { id = '' } = (await ann.plan()) ?? {};
  const asked = shop.control.requests();
  shop.control.delay(Number.POSITIVE_INFINITY);
  const canceled = ann.api.cancelSubscription({ params: { id } }).catch((error: unknown) => error);
  await waitUntil('the upgrade was waiting', async () => shop.control.requests() > asked);
  await payOnPage(paymentUrl ?? '', careful, {}, { origin: shop.publicUrl });
  shop.control.delay(0);
  expect(await canceled).toMatchObject({
    status: 409,
    code: 'not_active',
    message: 'Your upgrade has just been paid, so nothing was canceled. Check your plan and try again.',
  });
  await settle(shop);
  expect(await ann.plan()).toMatchObject({ mcpId: 'pro', status: 'active', pendingPlanId: null });
  const now = await shop.stripe.subscriptions.retrieve(paymentId);
  expect(now).toMatchObject({ cancel_at_period_end: false, pending_update: null });
});

test('a renewal that asks for 3-D Secure is past due until it is confirmed', async () => {
  const { ann, clock } = await subscribed(1, careful);
  await clock.advanceDays(32);
  await waitUntil('it is past due', async () => (await ann.plan())?.status === 'past_due');
  const { id = '' } = (await ann.plan()) ?? {};
  const { paymentUrl } = await ann.api.getOpenPayment({ params: { id } });
  await payOnPage(paymentUrl, careful, {}, { origin: shop.publicUrl });
  await waitUntil('it is active again', async () => (await ann.plan())?.status === 'active');
  expect(await ann.history()).toHaveLength(2);
});

/** Changes a subscription as an operator does by hand in the provider's dashboard. */
async function changeByHand(paymentId: string, planId: string, how: Stripe.SubscriptionUpdateParams): Promise<void> {
  const [item] = (await shop.stripe.subscriptions.retrieve(paymentId)).items.data;
  const price = shop.billing.prices.priceOf('plan', planId)?.priceId ?? '';
  await shop.stripe.subscriptions.update(paymentId, { items: [{ id: item?.id ?? '', price }], ...how });
  await shop.billing.payments?.events.idle();
}
const tiersOf = async (person: Subscriber) => (await person.api.getSubscription()).activeTiers;

test('a higher plan whose difference is unpaid does not count, even if the provider has it already', async () => {
  const ann = await newSubscriber(shop);
  const paymentId = await ann.subscribe('basic', '4000000000000341');
  const credits = await ann.credits();
  await changeByHand(paymentId, 'pro', {
    proration_behavior: 'always_invoice',
    payment_behavior: 'allow_incomplete',
  });
  await waitUntil('the payment has failed', async () => (await ann.plan())?.status === 'past_due');
  expect(await ann.plan()).toMatchObject({ mcpId: 'basic', nextPlanId: 'pro' });
  expect(await tiersOf(ann)).toEqual(['T0', 'T1']);
  expect(await ann.credits()).toBe(credits);
  const { paymentUrl } = await ann.api.getOpenPayment({ params: { id: (await ann.plan())?.id ?? '' } });
  await payOnPage(paymentUrl, '4242424242424242', {}, { origin: shop.publicUrl });
  await waitUntil('the higher plan to be active', async () => (await ann.plan())?.mcpId === 'pro');
  expect(await tiersOf(ann)).toEqual(['T0', 'T1', 'T2']);
  expect(await ann.credits()).toBeGreaterThan(credits);
});

test('a higher plan of the next period counts only once its renewal is paid', async () => {
  const ann = await newSubscriber(shop);
  const paymentId = await ann.subscribe('basic', '4000000000000341');
  const clock = await giveClock(shop, paymentId);
  await changeByHand(paymentId, 'pro', { proration_behavior: 'none' });
  await waitUntil('it is chosen', async () => (await ann.plan())?.nextPlanId === 'pro');
  await clock.advanceDays(32);
  shop.ahead.ms = 32 * 24 * 60 * minuteMs;
  await waitUntil('the payment has failed', async () => (await ann.plan())?.status === 'past_due');
  await shop.billing.payments?.events.idle();
  expect(await ann.plan()).toMatchObject({ mcpId: 'basic', nextPlanId: 'pro' });
  expect(await tiersOf(ann)).toEqual(['T0', 'T1']);
  const { paymentUrl } = await ann.api.getOpenPayment({ params: { id: (await ann.plan())?.id ?? '' } });
  await payOnPage(paymentUrl, '4242424242424242', {}, { origin: shop.publicUrl });
  await waitUntil('the renewal is in the history', async () => (await ann.history()).length === 3);
  expect(await ann.plan()).toMatchObject({ mcpId: 'pro', nextPlanId: null, status: 'active' });
  expect(await tiersOf(ann)).toEqual(['T0', 'T1', 'T2']);
  expect(await ann.history()).toEqual([
    `subscription_create completed ${amounts['basic']}`,
    'subscription_update completed 0',
    `subscription_update completed ${amounts['pro']}`,
  ]);
});

test('a plan with a refunded payment is upgraded at its renewal: nothing is refunded twice', async () => {
  const { ann, paymentId } = await subscribed(10);
  await shop.stripe.refunds.create({ payment_intent: await intentOf(shop, paymentId) });
  await waitUntil('the refund is known', async () => (await ann.history()).some((row) => row.startsWith('refund ')));
  const { currentPeriodEnd } = (await ann.plan()) ?? {};
  const { change: shown } = await change(ann, { planId: 'pro', preview: true });
  expect(shown).toMatchObject({ kind: 'upgrade', amountDue: 0, prorationDate: null, at: currentPeriodEnd });
  await change(ann, { planId: 'pro' });
  expect(await ann.plan()).toMatchObject({ mcpId: 'basic', nextPlanId: 'pro' });
});
