import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { checkLedger } from '#features/billing/index.ts';
import { intentOf, refundsAtProvider } from '#features/billing/shop/refunds/testing/refunds-at-provider.ts';
import { giveClock } from '#features/billing/shop/subscriptions/testing/subscriber.ts';
import { startAdministration, type Administration } from '#testing/administration.ts';
import { withoutHealthChecks } from '#testing/start-app.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { waitUntil } from '#testing/wait-until.ts';

let started: Administration | undefined;
let shop: Administration['shop'];
let administrator: Administration['administrator'];
let admin: Administration['admin'];
let send: Administration['send'];
let newPerson: Administration['newPerson'];
let audits: Administration['audits'];

beforeAll(async () => {
  started = await startAdministration({ env: withoutHealthChecks });
  ({ shop, administrator, admin, send, newPerson, audits } = started);
});
beforeEach(() => (shop.ahead.ms = 0));
afterEach(async () => {
  shop.control.resume();
  shop.control.drop(0);
  await shop.billing.payments?.events.idle();
  const [fault] = await checkLedger(shop.db);
  if (fault) throw new Error(fault.fault);
});
afterAll(() => started?.stop());

const dayMs = 86_400_000;
type Person = Awaited<ReturnType<typeof newPerson>>;

/** Lets days pass, at the provider too. */
async function pass(paymentId: string, days: number) {
  const clock = await giveClock(shop, paymentId);
  await clock.advanceDays(days);
  shop.ahead.ms = days * dayMs;
  return clock;
}

/**
 * Returns the part of an amount for the rest of the first period of a subscription, of which this many days are over.
 */
async function restOf(subscription: string, amount: number, days: number): Promise<number> {
  const [invoice] = (await shop.stripe.invoices.list({ subscription, limit: 1 })).data;
  const { start, end } = invoice?.lines.data[0]?.period ?? { start: 0, end: 1 };
  return Math.floor((amount * (end - start - days * 86_400 - 60)) / (end - start));
}

const by = () => ({ actorId: administrator.userId });
const removeOf = (person: Person, id = '', refund: 'none' | 'prorata' = 'prorata') =>
  shop.administration.remove(person.userId, id, { ...by(), refund });
const shownRefund = async (person: Person, kind: 'rentals' | 'subscriptions') =>
  (await shop.administration.show(person.userId)).billing[kind][0]?.refund;

test('[USR-49] a refund is requested separately: it is the remaining paid part of the period, and follows the event of the provider', async () => {
  const ann = await newPerson();
  const paymentId = await ann.rent('top');
  const rental = await ann.rental();
  await pass(paymentId, 10);
  const expected = await restOf(paymentId, 900, 10);
  expect(expected).toBeGreaterThan(550);
  expect(await shownRefund(ann, 'rentals')).toEqual({ amountCents: expected, currency: 'USD' });
  expect(await removeOf(ann, rental?.id)).toEqual({
    message: 'The rental has ended. The unused time was refunded.',
    atProvider: 'cancelled',
    refund: { result: 'refunded', amountCents: expected, currency: 'USD' },
  });
  expect(await shop.stripe.subscriptions.retrieve(paymentId)).toMatchObject({ status: 'canceled' });
  const { data } = await shop.stripe.refunds.list({ payment_intent: await intentOf(shop, paymentId) });
  expect(data).toMatchObject([{ amount: expected, reason: 'requested_by_customer' }]);
  await waitUntil('the refund is in the history', async () =>
    (await ann.history()).includes(`refund completed ${expected}`),
  );
  const details = { id: rental?.id, sandbox: true };
  expect(await audits(ann.userId)).toMatchObject([
    { action: 'access.removed', actor_id: administrator.userId, details: { ...details, refund: 'prorata' } },
    { action: 'access.refunded', actor_id: null, details: { ...details, amount: expected, currency: 'USD' } },
  ]);
  await expect(removeOf(ann, rental?.id)).rejects.toMatchObject({ code: 'not_found' });
});

test('a refund requires a sign-in of the last 15 minutes, and a removal without one does not', async () => {
  const ann = await newPerson();
  await ann.rent('top');
  const { id = '' } = (await ann.rental()) ?? {};
  const address = `DELETE /admin/users/${ann.userId}/subscription/${id}`;
  shop.ahead.ms = 16 * 60_000;
  const refused = { status: 403, code: 'sign_in_again' };
  expect(await send(address, administrator.accessToken, { refund: 'prorata' })).toMatchObject(refused);
  const deletion = { refundRentals: [id] };
  expect(await send('DELETE /admin/manifests/top', administrator.accessToken, deletion)).toMatchObject(refused);
  expect(await ann.rental(), 'nothing has ended').toMatchObject({ id, status: 'active' });
  expect(await send(address, administrator.accessToken, {})).toMatchObject({ status: 200, refund: null });
});

test('an item that was given, tried or already refunded shows no refund, and none is made', async () => {
  const ann = await newPerson();
  const params = { id: ann.userId };
  const { id } = await admin.addUserSubscription({ params, body: { type: 'rental', mcpId: 'top' } });
  const { billing } = await admin.getUserBilling({ params: { userId: ann.userId } });
  expect(billing.rentals).toMatchObject([{ id, refund: null }]);
  const removal = { params: { ...params, subscriptionId: id }, body: { refund: 'prorata' } } as const;
  expect(await admin.removeUserSubscription(removal)).toEqual({
    success: true,
    message: 'The rental has ended. Nothing was paid for the unused time.',
    atProvider: 'none',
    refund: null,
  });
  const paymentId = await ann.rent('top');
  await shop.stripe.refunds.create({ payment_intent: await intentOf(shop, paymentId) });
  await waitUntil('all of it was refunded', async () => (await shownRefund(ann, 'rentals')) === null);
  expect(await removeOf(ann, (await ann.rental())?.id)).toMatchObject({ refund: null, atProvider: 'cancelled' });
  expect(await refundsAtProvider(shop, paymentId)).toEqual([900]);
});

test('earlier refunds count, also if only the provider knows of them', async () => {
  const ann = await newPerson();
  const paymentId = await ann.rent('top');
  const intent = await intentOf(shop, paymentId);
  await shop.stripe.refunds.create({ payment_intent: intent, amount: 600 });
  await waitUntil('300 are left', async () => (await shownRefund(ann, 'rentals'))?.amountCents === 300);
  shop.control.pause();
  await shop.stripe.refunds.create({ payment_intent: intent, amount: 200 });
  expect(await shownRefund(ann, 'rentals'), 'its event has not arrived').toMatchObject({ amountCents: 300 });
  const rental = await ann.rental();
  expect(await removeOf(ann, rental?.id)).toMatchObject({ refund: { result: 'refunded', amountCents: 100 } });
  expect((await refundsAtProvider(shop, paymentId)).toSorted()).toEqual([100, 200, 600]);
});

test('an upgraded plan is refunded by all that was paid for the rest, and its credits are clawed back in proportion', async () => {
  const ann = await newPerson();
  const paymentId = await ann.subscribe('basic');
  const clock = await pass(paymentId, 10);
  const { id = '' } = (await ann.plan()) ?? {};
  await ann.changePlan('pro');
  await waitUntil('the upgrade', async () => (await ann.plan())?.mcpId === 'pro');
  const credits = await ann.credits();
  await clock.advanceDays(5);
  shop.ahead.ms += 5 * dayMs;
  const plans = await shop.billing.offers.plans();
  const price = plans.find(({ planId }) => planId === 'pro')?.amount ?? 0;
  const { data: invoices } = await shop.stripe.invoices.list({ subscription: paymentId });
  expect(invoices).toHaveLength(2);
  // the first pays the old price to the end, the second the difference: together the new price of the rest
  const { start, end } = invoices[1]?.lines.data[0]?.period ?? { start: 0, end: 1 };
  const rest = (price * (end - start - 15 * 86_400)) / (end - start);
  const shown = (await shownRefund(ann, 'subscriptions'))?.amountCents ?? 0;
  expect(Math.abs(shown - rest)).toBeLessThan(4);
  expect(await removeOf(ann, id)).toMatchObject({ refund: { result: 'refunded', amountCents: shown } });
  await waitUntil('both refunds are in the history', async () => (await ann.history()).length === 5);
  // 15 days of the old plan's credits, and 5 of what the new plan adds
  const monthly = (id: string) => plans.find(({ planId }) => planId === id)?.monthlyCredits ?? 0;
  const days = (count: number) => (count * 86_400) / (end - start);
  const used = monthly('basic') * days(15) + (monthly('pro') - monthly('basic')) * days(5);
  expect(Math.abs((await ann.credits()) - used)).toBeLessThan(4);
  expect(used).toBeLessThan(credits / 2);
});

test('while the provider does not respond a refund is pending, and made later automatically, once', async () => {
  const ann = await newPerson();
  const paymentId = await ann.rent('top');
  const rental = await ann.rental();
  await shop.network.stop();
  let removal;
  try {
    removal = await removeOf(ann, rental?.id);
  } finally {
    await shop.network.resume();
  }
  expect(removal).toMatchObject({ atProvider: 'pending', refund: { result: 'pending', amountCents: 899 } });
  expect(await ann.service('top')).toMatchObject({ accessType: 'none' });
  expect(await refundsAtProvider(shop, paymentId)).toEqual([]);
  const { refunds } = shop.billing.payments ?? {};
  await refunds?.payDue();
  expect(await refundsAtProvider(shop, paymentId), 'not before its time').toEqual([]);
  shop.ahead.ms += 120_000;
  await refunds?.payDue();
  expect(await shop.stripe.subscriptions.retrieve(paymentId)).toMatchObject({ status: 'canceled' });
  expect(await refundsAtProvider(shop, paymentId)).toEqual([899]);
  // as if the response had been lost
  await shop.db.query(
    `update access_refunds set state = 'wanted', done_at = null, next_at = now() where access_id = $1`,
    [rental?.id],
  );
  const [again] = (await refunds?.find([rental?.id ?? ''])) ?? [];
  if (!again) throw new Error('the refund is not there');
  await Promise.all([refunds?.payDue(), refunds?.payAll([again]), refunds?.payAll([again])]);
  expect(await refundsAtProvider(shop, paymentId)).toEqual([899]);
  expect(await refunds?.find([rental?.id ?? ''])).toMatchObject([{ state: 'refunded', amount: 899 }]);
});

test('for a disputed payment no refund is offered or made, the reason is given, and the removal continues without one', async () => {
  const ann = await newPerson();
  const paymentId = await ann.rent('top');
  const { latest_charge: charge } = await shop.stripe.paymentIntents.retrieve(await intentOf(shop, paymentId));
  const shown = async () => (await shop.administration.show(ann.userId)).billing.rentals;
  expect(await shown()).toMatchObject([{ refund: { amountCents: 899 }, isDisputed: false }]);
  const dispute = await shop.control.openDispute(String(charge));
  await waitUntil('it is known', async () => (await shown())[0]?.isDisputed === true);
  expect(await shown()).toMatchObject([{ refund: null, isDisputed: true }]);
  const renters = async () =>
    (await shop.administration.renters('top', 1)).renters.filter(({ user }) => user.id === ann.userId);
  expect(await renters()).toMatchObject([{ refund: null, isDisputed: true }]);
  const { id } = (await ann.rental()) ?? {};
  await expect(removeOf(ann, id)).rejects.toMatchObject({
    code: 'refund_impossible',
    message:
      'The payment for the unused time is disputed, and the bank holds the money, so it cannot be refunded. Remove it without a refund.',
  });
  expect(await ann.rental()).toMatchObject({ status: 'active' });
  expect(await audits(ann.userId)).toEqual([]);
  // the bank decided for the shop and paid it again
  await shop.control.closeDispute(dispute, 'won');
  await waitUntil('it is offered', async () => (await shown())[0]?.refund?.amountCents === 899);
  expect(await removeOf(ann, id, 'none')).toMatchObject({ refund: null });
  expect(await refundsAtProvider(shop, paymentId)).toEqual([]);
});

test('a refund that the provider refuses, for example of a payment with an unknown dispute, is reported as failed and not retried', async () => {
  const ann = await newPerson();
  const paymentId = await ann.rent('top');
  const { latest_charge: charge } = await shop.stripe.paymentIntents.retrieve(await intentOf(shop, paymentId));
  shop.control.drop(1000);
  await shop.control.openDispute(String(charge));
  const rental = await ann.rental();
  expect(await removeOf(ann, rental?.id)).toMatchObject({
    message: expect.stringContaining('refused the refund'),
    refund: { result: 'failed' },
  });
  expect(await audits(ann.userId)).toMatchObject([
    { action: 'access.removed' },
    { action: 'access.refund-failed', details: { error: expect.stringContaining('charged back') } },
  ]);
  shop.ahead.ms += 600_000;
  await shop.billing.payments?.refunds.payDue();
  expect(await refundsAtProvider(shop, paymentId)).toEqual([]);
});

test('a paid renewal whose event has not arrived is refunded with the removal', async () => {
  const ann = await newPerson();
  const paymentId = await ann.rent('top');
  const { id } = (await ann.rental()) ?? {};
  shop.control.pause();
  shop.ahead.ms = await (await giveClock(shop, paymentId)).advancePastRenewal();
  expect(await ann.history(), 'the renewal is not known here').toHaveLength(1);
  const removal = await removeOf(ann, id);
  expect(removal).toMatchObject({ refund: { result: 'refunded' } });
  expect(await refundsAtProvider(shop, paymentId)).toEqual([removal.refund?.amountCents]);
  expect(removal.refund?.amountCents).toBeGreaterThan(800);
  shop.control.resume();
  await waitUntil('the history has it', async () => (await ann.history()).some((row) => row.startsWith('refund')));
  expect(await ann.rental()).toBeUndefined();
  expect(await refundsAtProvider(shop, paymentId)).toHaveLength(1);
});

test('renters are listed by pages of 50 in a stable order, with the refund of each', async () => {
  const connection = { type: 'http', url: 'https://nowhere.souk.test/mcp' };
  await deployManifest(shop, { id: 'many', connection, billing: { tier: 'T3', rental: { price: 900 } } }, 'unasked');
  const ann = await newPerson();
  await ann.rent('many');
  await shop.db.query(
    `with people as (insert into users (id, email, display_name, created_at)
       select gen_random_uuid(), 'renter-' || n || '@many.test', 'Renter', now() from generate_series(1, 70) n returning id)
     insert into access_grants (id, user_id, livemode, server_id, kind, source, period, started_at, period_ends_at)
       select gen_random_uuid(), id, false, 'many', 'rental', 'administrator', 'monthly', now(), now() + interval '30 days'
       from people`,
  );
  const page = (number: number) => admin.listServerRenters({ params: { id: 'many' }, query: { page: number } });
  const pages = [await page(1), await page(2)];
  expect(pages[0]?.pagination).toEqual({ page: 1, limit: 50, total: 71, pages: 2 });
  const renters = pages.flatMap((one) => one.renters);
  expect(new Set(renters.map(({ rentalId }) => rentalId)).size).toBe(71);
  const paid = renters.filter(({ refund }) => refund !== null);
  expect(paid).toMatchObject([
    { source: 'payment', user: { email: ann.email }, refund: { amountCents: 899, currency: 'USD' } },
  ]);
  expect((await page(3)).renters).toEqual([]);
  expect((await page(3)).pagination.total).toBe(71);
  expect(await page(1)).toEqual(pages[0]);
  expect(pages[0]?.price).toEqual({
    productId: 'souk_rental_many',
    priceId: expect.stringMatching(/^price_/),
    amountCents: 900,
    currency: 'USD',
  });
});

test('users with a purchase or a trial of a server are listed by page, separately from its renters', async () => {
  const connection = { type: 'http', url: 'https://nowhere.souk.test/mcp' };
  await deployManifest(shop, { id: 'owned', connection, billing: { tier: 'T3', rental: { price: 900 } } }, 'unasked');
  const [ann, ben] = [await newPerson(), await newPerson()];
  await admin.addUserSubscription({ params: { id: ann.userId }, body: { type: 'purchase', mcpId: 'owned' } });
  await admin.addUserSubscription({ params: { id: ben.userId }, body: { type: 'rental', mcpId: 'owned' } });
  await shop.db.query(
    `with people as (insert into users (id, email, display_name, created_at)
       select gen_random_uuid(), 'trier-' || n || '@many.test', 'Trier', now() from generate_series(1, 52) n returning id, email)
     insert into access_grants (id, user_id, livemode, server_id, kind, source, started_at, period_ends_at)
       select gen_random_uuid(), id, false, 'owned', 'trial', 'person', now() - interval '9 days',
         now() + case when email = 'trier-7@many.test' then interval '-1 days' else interval '5 days' end
       from people`,
  );
  const page = (number: number) => admin.listServerOwners({ params: { id: 'owned' }, query: { page: number } });
  const pages = [await page(1), await page(2)];
  expect(pages.map(({ pagination }) => pagination)).toEqual([
    { page: 1, limit: 50, total: 52, pages: 2 },
    { page: 2, limit: 50, total: 52, pages: 2 },
  ]);
  const all = pages.flatMap((one) => one.owners);
  expect(all.map(({ user }) => user.email).toSorted()).toEqual(
    [ann.email, ...Array.from({ length: 52 }, (_, n) => `trier-${n + 1}@many.test`)]
      .filter((email) => email !== 'trier-7@many.test')
      .toSorted(),
  );
  expect(all.find(({ user }) => user.id === ann.userId)).toMatchObject({ kind: 'purchase', endsAt: null });
  expect(all.filter(({ kind }) => kind === 'trial')).toHaveLength(51);
});

test('the deletion of a server refunds the named rentals, once; others run out', async () => {
  const connection = { type: 'http', url: 'https://nowhere.souk.test/mcp' };
  const manifest = { id: 'ends', connection, billing: { tier: 'T3' as const, rental: { price: 900 } } };
  await deployManifest(shop, manifest, 'unasked');
  const [ann, bob, cid] = [await newPerson(), await newPerson(), await newPerson()];
  const [ofAnn, ofBob] = [await ann.rent('ends'), await bob.rent('ends')];
  const params = { id: cid.userId };
  const { id: ofCid } = await admin.addUserSubscription({ params, body: { type: 'rental', mcpId: 'ends' } });
  const { id: foreign } = await admin.addUserSubscription({ params, body: { type: 'rental', mcpId: 'top' } });
  const { id: annsId = '' } = (await ann.rental()) ?? {};
  const refundRentals = [annsId, annsId, ofCid, foreign, 'x'];
  const nothing = { amountCents: null, currency: null };
  const refunds = [
    { rentalId: annsId, result: 'refunded', amountCents: 899, currency: 'USD' },
    { rentalId: ofCid, result: 'nothing_paid', ...nothing },
    { rentalId: foreign, result: 'failed', ...nothing },
    { rentalId: 'x', result: 'failed', ...nothing },
  ];
  const deletion = { params: { id: 'ends' }, body: { refundRentals, reason: 'it closes' } };
  expect(await admin.deleteManifest(deletion)).toMatchObject({ renters: 3, refunds });
  expect(await ann.rental()).toBeUndefined();
  expect(await bob.rental()).toMatchObject({ mcpId: 'ends' });
  expect((await cid.api.getSubscription()).subscription.rentals).toMatchObject([{ id: foreign }]);
  expect(await refundsAtProvider(shop, ofAnn)).toEqual([899]);
  expect(await refundsAtProvider(shop, ofBob)).toEqual([]);
  expect(await audits(ann.userId)).toMatchObject([
    { action: 'access.removed', actor_id: administrator.userId, reason: 'it closes' },
    { action: 'access.refunded' },
  ]);
  // requested again, also after another deployment
  expect(await shop.administration.refundedRentals.pay('ends', refundRentals)).toEqual(refunds);
  await deployManifest(shop, { ...manifest, version: '2.0.0' }, 'unasked');
  expect(await admin.deleteManifest(deletion)).toMatchObject({ renters: 1, refunds });
  expect(await refundsAtProvider(shop, ofAnn)).toEqual([899]);
});

test('a deletion ends the rentals that it refunds in its own transaction: both happen, or neither', async () => {
  const connection = { type: 'http', url: 'https://nowhere.souk.test/mcp' };
  const manifest = { id: 'whole', connection, billing: { tier: 'T3' as const, rental: { price: 900 } } };
  await deployManifest(shop, manifest, 'unasked');
  const ann = await newPerson();
  const paymentId = await ann.rent('whole');
  const { id: rentalId = '' } = (await ann.rental()) ?? {};
  const refundRentals = [rentalId];
  const moved = { 'if-match': '"of-another-time"' };
  const call = ['DELETE /admin/manifests/whole', administrator.accessToken, { refundRentals }] as const;
  expect(await send(...call, moved)).toMatchObject({ status: 409, code: 'changed_since_shown' });
  expect(await ann.rental(), 'it was not deleted').toMatchObject({ id: rentalId });

  const deletion = { via: 'command' } as const;
  const failing = shop.catalogue.deleteManifest('whole', deletion, () => Promise.reject(new Error('no rental ends')));
  await expect(failing).rejects.toThrow('no rental ends');
  expect(shop.catalogue.snapshot().byId.has('whole'), 'it is there as before').toBe(true);
  expect(await admin.getManifest({ params: { id: 'whole' }, query: {} })).toMatchObject({ listed: { isActive: true } });

  // a broker that dies before it has made the refunds leaves them to the others
  const { end } = shop.administration.refundedRentals;
  await shop.catalogue.deleteManifest('whole', deletion, (query) => end(query, 'whole', refundRentals, by()));
  expect(await ann.rental()).toBeUndefined();
  shop.ahead.ms += 120_000;
  await shop.billing.payments?.refunds.payDue();
  expect(await refundsAtProvider(shop, paymentId)).toEqual([899]);
});
