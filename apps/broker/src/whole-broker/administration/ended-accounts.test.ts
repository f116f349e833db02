import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { checkLedger } from '#features/billing/index.ts';
import { refundsAtProvider } from '#features/billing/shop/refunds/testing/refunds-at-provider.ts';
import { startAdministration, type Administration } from '#testing/administration.ts';
import { waitUntil } from '#testing/wait-until.ts';

// What happens to subscriptions and rentals when their account is deactivated or erased.

let started: Administration | undefined;
let shop: Administration['shop'];
let administrator: Administration['administrator'];
let admin: Administration['admin'];
let newPerson: Administration['newPerson'];
let audits: Administration['audits'];

beforeAll(async () => {
  started = await startAdministration();
  ({ shop, administrator, admin, newPerson, audits } = started);
});
afterEach(async () => {
  await shop.billing.payments?.events.idle();
  const [fault] = await checkLedger(shop.db);
  if (fault) throw new Error(fault.fault);
});
afterAll(() => started?.stop());

const by = () => ({ actorId: administrator.userId });

test('plans and rentals of a deactivated user end with their period, also if the provider responds later', async () => {
  const ann = await newPerson();
  const [ofRental, ofPlan] = [await ann.rent('top'), await ann.subscribe('basic')];
  const [rental, plan] = [await ann.rental(), await ann.plan()];
  await shop.network.stop();
  let ending;
  try {
    ending = await shop.administration.endPaid(ann.userId, { now: false }, { ...by(), reason: 'spam' });
  } finally {
    await shop.network.resume();
  }
  expect(ending).toMatchObject([
    { id: plan?.id, name: 'Basic plan', endsAt: plan?.currentPeriodEnd, atProvider: 'pending' },
    { id: rental?.id, name: 'Summit', atProvider: 'pending' },
  ]);
  const { subscriptions } = shop.billing.payments ?? {};
  await waitUntil('the provider is notified', async () => {
    await subscriptions?.endWanted().catch(() => {});
    return (await shop.stripe.subscriptions.retrieve(ofPlan)).cancel_at_period_end;
  });
  expect(await shop.stripe.subscriptions.retrieve(ofRental)).toMatchObject({ cancel_at_period_end: true });
  expect(await audits(ann.userId)).toMatchObject([
    { action: 'access.not-renewed', reason: 'spam', details: { of: 'basic' } },
    { action: 'access.not-renewed', details: { of: 'top' } },
  ]);
  // a plan that the user resumes later stays resumed
  await ann.api.resumeSubscription({ params: { id: plan?.id ?? '' } });
  await subscriptions?.endWanted();
  expect(await shop.stripe.subscriptions.retrieve(ofPlan)).toMatchObject({ cancel_at_period_end: false });
  expect(await shop.administration.endPaid(ann.userId, { now: false }, by()), 'the rental ends already').toMatchObject([
    { id: plan?.id, atProvider: 'cancelled' },
  ]);
  expect(await shop.administration.endPaid(ann.userId, { now: true }, by())).toMatchObject([
    { id: plan?.id, atProvider: 'cancelled' },
    { id: rental?.id, atProvider: 'cancelled' },
  ]);
  expect(await shop.stripe.subscriptions.retrieve(ofPlan)).toMatchObject({ status: 'canceled' });
  expect([await ann.plan(), await ann.rental()]).toEqual([undefined, undefined]);
  expect(await refundsAtProvider(shop, ofRental), 'nothing is refunded').toEqual([]);
});

test('an open payment page of a deactivated user is closed', async () => {
  const ann = await newPerson();
  const { sessionId } = await ann.api.startCheckout({ body: { type: 'subscription', planId: 'pro' } });
  await shop.administration.endPaid(ann.userId, { now: false }, by());
  expect(await shop.stripe.checkout.sessions.retrieve(sessionId)).toMatchObject({ status: 'expired' });
});

test('after an account is erased nothing continues at the provider, and a pending refund is still made', async () => {
  const ann = await newPerson();
  const [ofRental, ofPlan] = [await ann.rent('top'), await ann.subscribe('basic')];
  await shop.network.stop();
  try {
    await shop.administration.remove(ann.userId, (await ann.rental())?.id ?? '', { ...by(), refund: 'prorata' });
    const erased = { params: { id: ann.userId }, body: { confirm: ann.email } };
    expect(await admin.eraseUser(erased)).toMatchObject({ success: true });
  } finally {
    await shop.network.resume();
  }
  shop.ahead.ms += 120_000;
  await waitUntil('both are over', async () => {
    await shop.billing.payments?.subscriptions.endRevoked().catch(() => {});
    const both = await Promise.all([ofRental, ofPlan].map((id) => shop.stripe.subscriptions.retrieve(id)));
    return both.every(({ status }) => status === 'canceled');
  });
  await shop.billing.payments?.refunds.payDue();
  expect(await refundsAtProvider(shop, ofRental)).toEqual([899]);
});
