import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OfferFields, PlanFields } from '@souk/contract/billing/offer-fields.ts';
import { settle } from '#features/billing/shop/checkout/testing/shop.ts';
import { giveClock } from '#features/billing/shop/subscriptions/testing/subscriber.ts';
import { startAdministration, type Administration } from '#testing/administration.ts';
import { withoutHealthChecks } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';

const dayMs = 24 * 60 * 60_000;

let area: Administration;
beforeAll(async () => {
  area = await startAdministration({ env: withoutHealthChecks });
});
afterAll(() => area?.stop());

const show = (id: string) => area.admin.getAdminOffer({ params: { id } });

async function planFields(id: string): Promise<PlanFields> {
  const { offer } = await show(id);
  if (offer.fields.kind !== 'plan') throw new Error(`${id} is not a plan`);
  return offer.fields;
}

async function edit(id: string, changed: Partial<PlanFields>, preview = false) {
  const { offer } = await show(id);
  const fields = { ...offer.fields, ...changed } as OfferFields;
  return area.admin.changeOffer({
    params: { id },
    body: { change: { type: 'edit', fields }, revision: offer.revision, reason: 'costs rose', preview },
  });
}

async function addPlan(offerId: string, changed: Partial<PlanFields> = {}) {
  const fields: OfferFields = {
    kind: 'plan',
    name: `Plan ${offerId}`,
    description: 'A plan of a test.',
    features: [],
    amount: 1000,
    currency: 'USD',
    monthlyCredits: 300,
    tier: 'T1',
    popular: false,
    ...changed,
  };
  await area.admin.createOffer({ body: { offerId, fields } });
  await area.shop.billing.prices.synced();
}

/** Reads the monthly credits in the ledger, with the reason of each grant. */
const grants = async (userId: string) => {
  const { rows } = await area.shop.db.query<{ delta: number }>(
    `select delta from ledger_entries where user_id = $1 and contra = 'plan' order by id`,
    [userId],
  );
  return rows.map(({ delta }) => delta);
};

test('a subscriber keeps price and credits through a renewal, and is moved at one that they were notified of in time', async () => {
  const { shop, admin } = area;
  await addPlan('club');
  const ann = await area.newPerson();
  const paymentId = await ann.subscribe('club');
  await settle(shop);
  const preview = await edit('club', { amount: 1200, monthlyCredits: 400 }, true);
  expect(preview.effects).toEqual([
    'New subscribers pay $12/month from now on.',
    'New subscribers get 400 credits a month from now on.',
    '1 subscriber keeps $10/month and 300 credits a month until you move them.',
  ]);
  expect(await planFields('club')).toMatchObject({ amount: 1000, monthlyCredits: 300 });
  await edit('club', { amount: 1200, monthlyCredits: 400 });
  await shop.billing.prices.synced();
  expect((await ann.api.getSubscription()).subscription.subscriptions).toMatchObject([
    { renewal: { amount: 1000, currency: 'USD', monthlyCredits: 300 }, priceChange: null },
  ]);

  const clock = await giveClock(shop, paymentId);
  await clock.advanceDays(32);
  await waitUntil('the renewal is paid', async () => (await ann.history()).length === 2);
  expect(await ann.history()).toEqual(['subscription_create completed 1000', 'subscription_update completed 1000']);
  expect(await grants(ann.userId)).toEqual([300, 300]);

  const { preview: move } = await admin.previewMove({ params: { id: 'club' } });
  expect(move).toMatchObject({
    to: { amount: 1200, currency: 'USD', monthlyCredits: 400 },
    groups: [{ amount: 1000, currency: 'USD', monthlyCredits: 300, subscribers: 1 }],
    movable: 1,
    later: 0,
    notMoved: { ending: 0, unpaid: 0, changing: 0 },
    effects: [
      '1 subscriber pays $12/month, not $10. They get 400 credits a month instead of 300.',
      'Each changes with a renewal. Nothing is charged or credited in between.',
    ],
  });
  const shown = { movable: 1, amount: 1200, monthlyCredits: 400 };
  await expect(
    admin.moveSubscribers({ params: { id: 'club' }, body: { shown: { ...shown, movable: 2 } } }),
  ).rejects.toMatchObject({ status: 409, code: 'changed_since_shown' });
  await admin.moveSubscribers({ params: { id: 'club' }, body: { shown, reason: 'all pay the same' } });
  await waitUntil('the move has ended', async () => (await show('club')).moves[0]?.endedAt !== null);
  expect((await show('club')).moves).toMatchObject([{ total: 1, moved: 1, skipped: 0, failed: 0 }]);
  const { items } = await shop.stripe.subscriptions.retrieve(paymentId);
  expect(items.data.map(({ price }) => price.unit_amount)).toEqual([1200]);
  // nothing was charged in between, and the user sees it before it applies
  expect(await ann.history()).toHaveLength(2);
  const [plan] = (await ann.api.getSubscription()).subscription.subscriptions;
  expect(plan?.priceChange).toEqual({
    from: { amount: 1000, currency: 'USD', monthlyCredits: 300 },
    to: { amount: 1200, currency: 'USD', monthlyCredits: 400 },
    at: plan?.currentPeriodEnd,
  });
  await clock.advanceDays(32);
  await waitUntil('the second renewal is paid', async () => (await ann.history()).length === 3);
  expect((await ann.history()).at(-1)).toBe('subscription_update completed 1200');
  expect(await grants(ann.userId)).toEqual([300, 300, 400]);
  expect((await area.audits('offer:club')).map(({ action, reason }) => [action, reason])).toEqual([
    ['offer.created', null],
    ['offer.changed', 'costs rose'],
    ['offer.move-started', 'all pay the same'],
    ['offer.moved', null],
  ]);
  expect((await show('club')).history.map(({ by, changes }) => [by, changes])).toEqual([
    [null, ['1 subscriber moved to $12']],
    ['admin@souk.test', ['1 subscriber to $12']],
    ['admin@souk.test', ['Price: $10 to $12', 'Monthly credits: 300 to 400']],
    ['admin@souk.test', []],
  ]);
  // a page reads the totals of the move, and not each of its subscribers
  await shop.db.query('delete from price_move_items where payment_id = $1', [paymentId]);
  expect((await show('club')).moves).toMatchObject([{ total: 1, moved: 1, skipped: 0, failed: 0, later: 0 }]);
});

test('a renewal within seven days still has the old price, and a canceled one is not moved', async () => {
  const { shop, admin } = area;
  await addPlan('near');
  const [ann, bob] = [await area.newPerson(), await area.newPerson()];
  const annId = await ann.subscribe('near');
  await bob.subscribe('near');
  const clock = await giveClock(shop, annId);
  const [{ id = '' } = {}] = (await bob.api.getSubscription()).subscription.subscriptions;
  await bob.api.cancelSubscription({ params: { id } });
  await edit('near', { amount: 1500 });
  await shop.billing.prices.synced();
  shop.ahead.ms += 26 * dayMs;
  try {
    expect(await show('near')).toMatchObject({
      offer: { subscribers: 2, ending: 1, olderPrice: 1 },
      prices: [{ amount: 1000, subscribers: 2, ending: 1, isCurrent: false }],
    });
    const { preview } = await admin.previewMove({ params: { id: 'near' } });
    expect(preview).toMatchObject({ movable: 1, later: 1, notMoved: { ending: 1 } });
    expect(preview.effects.slice(1)).toEqual([
      'Each changes with a renewal. Nothing is charged or credited in between.',
      '1 of them renew within 7 days: they pay the old price once more, so that they see the new one in time.',
      'Not moved: 1 canceled.',
    ]);
    // the sign-in is 26 days old by this clock
    const shown = { movable: 1, amount: 1500, monthlyCredits: 300 };
    await expect(admin.moveSubscribers({ params: { id: 'near' }, body: { shown } })).rejects.toMatchObject({
      code: 'sign_in_again',
    });
    const by = { actorId: area.administrator.userId };
    await shop.billing.payments?.moves.begin('near', shown, by);
    await shop.billing.payments?.moves.processDue();
    expect((await show('near')).moves).toMatchObject([{ total: 1, moved: 0, later: 1, endedAt: null }]);
    const [plan] = (await ann.api.getSubscription()).subscription.subscriptions;
    expect(plan?.renewal).toMatchObject({ amount: 1000 });
    expect(Date.parse(plan?.priceChange?.at ?? '')).toBeGreaterThan(
      Date.parse(plan?.currentPeriodEnd ?? '') + 27 * dayMs,
    );
    await clock.advanceDays(32);
    await waitUntil('the renewal is paid', async () => (await ann.history()).length === 2);
    expect((await ann.history()).at(-1)).toBe('subscription_update completed 1000');
    shop.ahead.ms += 6 * dayMs;
    await shop.billing.payments?.moves.processDue();
    expect((await show('near')).moves).toMatchObject([{ moved: 1, skipped: 0 }]);
    await clock.advanceDays(32);
    await waitUntil('the next renewal is paid', async () => (await ann.history()).length === 3);
    expect((await ann.history()).at(-1)).toBe('subscription_update completed 1500');
  } finally {
    shop.ahead.ms = 0;
  }
});

test('a lower price is set at the provider shortly before it applies, so that the paid month keeps its value', async () => {
  const { shop } = area;
  await addPlan('cheaper');
  const ann = await area.newPerson();
  const paymentId = await ann.subscribe('cheaper');
  const clock = await giveClock(shop, paymentId);
  await edit('cheaper', { amount: 600 });
  await shop.billing.prices.synced();
  const { moves } = shop.billing.payments ?? {};
  const shown = { movable: 1, amount: 600, monthlyCredits: 300 };
  await moves?.begin('cheaper', shown, { actorId: area.administrator.userId });
  await moves?.processDue();
  const amountAtProvider = async () =>
    (await shop.stripe.subscriptions.retrieve(paymentId)).items.data.map(({ price }) => price.unit_amount);
  expect(await amountAtProvider()).toEqual([1000]);
  expect((await show('cheaper')).moves).toMatchObject([{ moved: 0, later: 1, endedAt: null }]);
  const [plan] = (await ann.api.getSubscription()).subscription.subscriptions;
  expect(plan?.priceChange).toMatchObject({ from: { amount: 1000 }, to: { amount: 600 }, at: plan?.currentPeriodEnd });
  const { billing } = await shop.administration.show(ann.userId);
  expect(billing.subscriptions[0]?.charge).toEqual({ amountCents: 600, currency: 'USD', at: plan?.currentPeriodEnd });
  shop.ahead.ms += 28 * dayMs;
  try {
    await moves?.processDue();
    expect(await amountAtProvider()).toEqual([600]);
    await clock.advanceDays(32);
    await waitUntil('the renewal is paid', async () => (await ann.history()).length === 2);
    expect((await ann.history()).at(-1)).toBe('subscription_update completed 600');
  } finally {
    shop.ahead.ms = 0;
  }
});

test('subscribers that a move leaves unchanged are counted by reason', async () => {
  const { shop } = area;
  await addPlan('left');
  const [ann, bob] = [await area.newPerson(), await area.newPerson()];
  const annId = await ann.subscribe('left');
  await bob.subscribe('left');
  await giveClock(shop, annId);
  const by = { actorId: area.administrator.userId };
  const { moves } = shop.billing.payments ?? {};
  const moveTo = async (amount: number, movable: number) => {
    await edit('left', { amount });
    await shop.billing.prices.synced();
    await moves?.begin('left', { movable, amount, monthlyCredits: 300 }, by);
    await moves?.processDue();
  };
  await moveTo(600, 2);
  expect((await show('left')).moves).toMatchObject([{ moved: 0, skipped: 0, later: 2, reasons: [] }]);
  const [{ id = '' } = {}] = (await bob.api.getSubscription()).subscription.subscriptions;
  await bob.api.cancelSubscription({ params: { id } });
  shop.ahead.ms += 28 * dayMs;
  try {
    await moves?.processDue();
    const cancelled = { outcome: 'skipped', why: 'they canceled their plan', subscribers: 1 };
    expect((await show('left')).moves).toMatchObject([{ moved: 1, skipped: 1, reasons: [cancelled] }]);
    shop.ahead.ms = 0;
    await moveTo(500, 1);
    await edit('left', { amount: 400 });
    expect((await show('left')).moves.map(({ skipped, reasons }) => [skipped, reasons])).toEqual([
      [1, [{ outcome: 'skipped', why: 'the offer changed again', subscribers: 1 }]],
      [1, [cancelled]],
    ]);
  } finally {
    shop.ahead.ms = 0;
  }
});

test('a subscriber who upgrades after a move gets the missing credits of their paid month, based on what that month granted', async () => {
  const { shop } = area;
  await addPlan('small', { monthlyCredits: 200 });
  await addPlan('large', { amount: 3000, monthlyCredits: 1000, tier: 'T2' });
  const ann = await area.newPerson();
  await ann.subscribe('small');
  await edit('small', { monthlyCredits: 900 });
  await shop.billing.prices.synced();
  const by = { actorId: area.administrator.userId };
  await shop.billing.payments?.moves.begin('small', { movable: 1, amount: 1000, monthlyCredits: 900 }, by);
  await waitUntil('the move has ended', async () => (await show('small')).moves[0]?.endedAt !== null);
  const id = (await ann.plan())?.id ?? '';
  const { change } = await ann.api.changeSubscription({ params: { id }, body: { planId: 'large', preview: true } });
  expect(change.creditsNow).toBe(800);
  await ann.changePlan('large');
  await settle(shop);
  expect(await grants(ann.userId)).toEqual([200, 800]);
});

test('a plan whose price has moved is upgraded at its renewal: the rest of a month is worth what was paid for it', async () => {
  const { shop } = area;
  await addPlan('raised', { amount: 500, monthlyCredits: 200 });
  await addPlan('above', { amount: 1900, monthlyCredits: 800, tier: 'T2' });
  const ann = await area.newPerson();
  const paymentId = await ann.subscribe('raised');
  const clock = await giveClock(shop, paymentId);
  await edit('raised', { amount: 6000 });
  await shop.billing.prices.synced();
  const by = { actorId: area.administrator.userId };
  await shop.billing.payments?.moves.begin('raised', { movable: 1, amount: 6000, monthlyCredits: 200 }, by);
  await waitUntil('the move has ended', async () => (await show('raised')).moves[0]?.endedAt !== null);
  const { id = '', currentPeriodEnd } = (await ann.plan()) ?? {};
  const body = { planId: 'above', preview: true };
  const { change } = await ann.api.changeSubscription({ params: { id }, body });
  expect(change).toMatchObject({
    kind: 'upgrade',
    amountDue: 0,
    creditsNow: 0,
    prorationDate: null,
    at: currentPeriodEnd,
  });
  const shown = { amountDue: 0, nextAmount: 1900 };
  await ann.api.changeSubscription({ params: { id }, body: { planId: 'above', preview: false, shown } });
  expect(await ann.plan()).toMatchObject({ mcpId: 'raised', nextPlanId: 'above' });
  try {
    await clock.advanceDays(32);
    shop.ahead.ms += 32 * dayMs;
    await settle(shop);
    expect(await ann.plan()).toMatchObject({ mcpId: 'above' });
    expect(await grants(ann.userId)).toEqual([200, 800]);
    const customer = await shop.stripe.subscriptions.retrieve(paymentId, { expand: ['customer'] });
    expect(Object(customer.customer).balance).toBe(0);
    const paid = (await shop.stripe.invoices.list({ subscription: paymentId })).data.map((one) => one.amount_paid);
    expect(paid).toEqual([1900, 500]);
  } finally {
    shop.ahead.ms -= 32 * dayMs;
  }
});

test('the price of a canceled plan, if it is resumed, is the price to which it moves', async () => {
  const { shop } = area;
  await addPlan('lowered', { amount: 1900 });
  const ann = await area.newPerson();
  await ann.subscribe('lowered');
  await edit('lowered', { amount: 900 });
  await shop.billing.prices.synced();
  const by = { actorId: area.administrator.userId };
  await shop.billing.payments?.moves.begin('lowered', { movable: 1, amount: 900, monthlyCredits: 300 }, by);
  await shop.billing.payments?.moves.processDue();
  const params = { id: (await ann.plan())?.id ?? '' };
  await ann.api.cancelSubscription({ params });
  const cancelled = await ann.plan();
  expect(cancelled).toMatchObject({ charge: null, priceChange: null, chargeIfResumed: { amountCents: 900 } });
  await ann.api.resumeSubscription({ params });
  expect(await ann.plan()).toMatchObject({ charge: cancelled?.chargeIfResumed, chargeIfResumed: null });
});

test('an edit based on another revision is refused, and says who changed the offer; the other edit stays', async () => {
  await addPlan('shared');
  const { offer } = await show('shared');
  await edit('shared', { amount: 1100 });
  const fields = { ...offer.fields, name: 'Mine' };
  const { revision } = offer;
  for (const preview of [true, false])
    await expect(
      area.admin.changeOffer({
        params: { id: 'shared' },
        body: { change: { type: 'edit', fields }, revision, preview },
      }),
    ).rejects.toMatchObject({
      status: 409,
      code: 'changed_since_shown',
      message: 'admin@souk.test changed Plan shared while you were editing it. Nothing was saved.',
    });
  expect(await planFields('shared')).toMatchObject({ name: 'Plan shared', amount: 1100 });
});

test('each field is checked: minimum and currency of the provider, limits, hidden characters, tiers, and the Free plan', async () => {
  await addPlan('checked', { tier: 'T2' });
  await (await area.newPerson()).subscribe('checked');
  const refusal = async (id: string, changed: Partial<PlanFields>) => {
    const error: unknown = await edit(id, changed).catch((one: unknown) => one);
    return Object(error).issues?.map(({ path, message }: { path: string; message: string }) => `${path}: ${message}`);
  };
  const least = 'must be at least $0.50, the least that the payment provider charges';
  expect(await refusal('checked', { amount: 49 })).toEqual([`amount: ${least}`]);
  expect(await refusal('checked', { amount: 0 })).toEqual([`amount: ${least}`]);
  expect(await refusal('checked', { currency: 'EUR' })).toEqual([
    'currency: must be USD: all prices of the shop are in one currency',
  ]);
  expect(await refusal('checked', { currency: 'JPY' })).toEqual([
    'currency: must be a currency with two decimals that the payment provider charges in, such as USD or EUR',
  ]);
  expect(await refusal('checked', { tier: 'T0' })).toEqual([
    'tier: must be T1, T2 or T3: T0 is the tier of the Free plan',
    'tier: cannot be lower than Professional: 1 person has it. Archive the plan and create another one instead',
  ]);
  await expect(addPlan('credits-plus')).rejects.toMatchObject({ status: 400 });
  expect(await refusal('free', { amount: 500 })).toEqual(['amount: must be 0: the Free plan costs nothing']);
  const bad = [
    { amount: 100_000_01 },
    { amount: 10.5 },
    { monthlyCredits: 1_000_001 },
    { name: 'x'.repeat(61) },
    { name: 'Plan\u202Eo' },
    { description: 'two\nlines' },
    { features: Array.from({ length: 21 }, () => 'one') },
  ];
  for (const changed of bad)
    await expect(edit('checked', changed), JSON.stringify(changed)).rejects.toMatchObject({ status: 400 });
  await expect(
    area.admin.changeOffer({
      params: { id: 'free' },
      body: { change: { type: 'archive' }, revision: (await show('free')).offer.revision },
    }),
  ).rejects.toMatchObject({ message: 'The Free plan cannot be archived: users without a paid plan have it.' });
  expect((await area.audits('offer:checked')).map(({ action }) => action)).toEqual(['offer.created']);
});

test('the tier of a plan can be lowered once the last granted subscription has expired', async () => {
  const { shop } = area;
  await addPlan('given-once', { tier: 'T2' });
  const { userId: id } = await area.newPerson();
  await area.admin.addUserSubscription({ params: { id }, body: { type: 'subscription', mcpId: 'given-once' } });
  const lower = () => edit('given-once', { tier: 'T1' });
  await expect(lower()).rejects.toMatchObject({ status: 400 });
  shop.ahead.ms += 32 * dayMs;
  await lower();
  shop.ahead.ms -= 32 * dayMs;
  expect((await show('given-once')).offer.fields).toMatchObject({ tier: 'T1' });
});

test('two plans that are sold have no name in common, however one comes to it; an archived plan holds none back', async () => {
  await addPlan('named', { name: 'Twin' });
  const taken = expect.objectContaining({
    status: 400,
    issues: [{ path: 'name', message: 'is the name of another plan: named' }],
  });
  await expect(addPlan('named-too', { name: 'tWIN' })).rejects.toEqual(taken);
  await addPlan('named-too', { name: 'Other' });
  await expect(edit('named-too', { name: 'Twin' }, true)).rejects.toEqual(taken);
  const change = async (id: string, type: 'archive' | 'restore') => {
    const { revision } = (await show(id)).offer;
    return area.admin.changeOffer({ params: { id }, body: { change: { type }, revision } });
  };
  await edit('named', { popular: true });
  await change('named', 'archive');
  expect((await edit('named-too', { name: 'Twin', popular: true })).effects).toEqual([
    'The Plans page shows the new name at once.',
    'Twin is marked Most Popular.',
  ]);
  await expect(change('named', 'restore')).rejects.toMatchObject({
    issues: [{ path: 'name', message: 'is the name of another plan: named-too' }],
  });
  const fields: OfferFields = {
    kind: 'package',
    name: 'Twin',
    amount: 500,
    currency: 'USD',
    popular: false,
    credits: 50,
    bonus: 0,
  };
  expect((await area.admin.createOffer({ body: { offerId: 'twin-pack', fields } })).offer?.fields.name).toBe('Twin');
});

test('while the provider is unreachable an edit is saved, shown as waiting, and applied once it responds', async () => {
  const { shop } = area;
  await addPlan('patient');
  await shop.network.stop();
  try {
    const { offer } = await edit('patient', { amount: 2100 });
    expect(offer).toMatchObject({ fields: { amount: 2100 }, provider: 'waiting' });
  } finally {
    await shop.network.resume();
  }
  await shop.billing.prices.synced();
  expect((await show('patient')).offer.provider).toBe('known');
  const { data } = await shop.stripe.prices.list({ product: 'souk_plan_patient' });
  expect(data.map(({ unit_amount: amount, active, lookup_key: key }) => [amount, active, key])).toEqual([
    [2100, true, 'souk_plan_patient'],
    [1000, false, null],
  ]);
});

test('open payment pages of an archived plan and of a package with other credits expire', async () => {
  const { shop, admin } = area;
  await addPlan('brief');
  const [ann, bob] = [await area.newPerson(), await area.newPerson()];
  const page = await ann.api.startCheckout({ body: { type: 'subscription', planId: 'brief' } });
  const { offer } = await show('brief');
  const { effects } = await admin.changeOffer({
    params: { id: 'brief' },
    body: { change: { type: 'archive' }, revision: offer.revision },
  });
  expect(effects).toEqual([
    'No one else can subscribe to Plan brief from now on.',
    '1 open payment page ends: it sells what is no longer offered.',
  ]);
  const statusOf = async (id: string) => (await shop.stripe.checkout.sessions.retrieve(id)).status;
  await waitUntil('the page has ended', async () => (await statusOf(page.sessionId)) === 'expired');
  await expect(ann.api.startCheckout({ body: { type: 'subscription', planId: 'brief' } })).rejects.toMatchObject({
    code: 'plan_not_found',
  });
  const bought = await bob.api.startCheckout({ body: { type: 'credit', planId: 'credits-500' } });
  const { offer: sold } = await show('credits-500');
  const more = { ...sold.fields, credits: 600 } as OfferFields;
  await admin.changeOffer({
    params: { id: 'credits-500' },
    body: { change: { type: 'edit', fields: more }, revision: sold.revision },
  });
  await waitUntil('the page has ended', async () => (await statusOf(bought.sessionId)) === 'expired');
  const { revision } = (await show('credits-500')).offer;
  await admin.changeOffer({ params: { id: 'credits-500' }, body: { change: { type: 'take-file' }, revision } });
  expect((await show('credits-500')).offer).toMatchObject({ fields: { credits: 500 }, edited: null, file: 'same' });
});
