import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import { checkLedger } from '#features/billing/index.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { startAdministration, type Administration } from '#testing/administration.ts';
import { withoutHealthChecks } from '#testing/start-app.ts';

let shop: Administration['shop'];
let manifest: Administration['manifest'];
let administrator: Administration['administrator'];
let admin: Administration['admin'];
let send: Administration['send'];
let newPerson: Administration['newPerson'];
let audits: Administration['audits'];
let started: Administration | undefined;

beforeAll(async () => {
  started = await startAdministration({ env: withoutHealthChecks });
  ({ shop, manifest, administrator, admin, send, newPerson, audits } = started);
});
afterEach(async () => {
  const [fault] = await checkLedger(shop.db);
  if (fault) throw new Error(fault.fault);
});
afterAll(() => started?.stop());

const upload = (body: unknown) => send('POST /admin/manifests', administrator.accessToken, body);

test('[MAN-27] [MAN-39] the rental of a staged manifest is created at the payment provider, and the old price is sold until the new version is deployed', async () => {
  const priced = (version: string, price: number) =>
    upload(manifest('rented', { version, billing: { tier: 'T1', rental: { price } } }));
  const params = { id: 'rented' };
  const first = await priced('1.0.0', 500);
  const { data: made } = await shop.stripe.prices.list({ product: 'souk_rental_rented' });
  expect(made).toHaveLength(1);
  expect(first.stripeResult).toMatchObject({ productId: 'souk_rental_rented', priceId: made[0]?.id });
  const priceOf = async (id: string) => {
    const { active, unit_amount: amount } = await shop.stripe.prices.retrieve(id);
    return { active, amount };
  };
  expect(await priceOf(first.stripeResult.priceId)).toEqual({ active: true, amount: 500 });
  await admin.deployManifest({ params, body: {} });
  await shop.billing.prices.synced();
  const sold = () => shop.billing.prices.priceOf('rental', 'rented')?.priceId;
  expect(sold()).toBe(first.stripeResult.priceId);
  expect(await priced('1.0.1', 500), 'the same price').not.toHaveProperty('stripeResult');

  const second = await priced('1.1.0', 700);
  expect(second).toMatchObject({ result: 'staged', stripeResult: { productId: 'souk_rental_rented' } });
  expect(await priceOf(first.stripeResult.priceId)).toEqual({ active: true, amount: 500 });
  expect(sold()).toBe(first.stripeResult.priceId);
  const ann = await newPerson();
  await ann.rent('rented');
  expect((await ann.history())[0]).toContain('500');

  await admin.deployManifest({ params, body: {} });
  await shop.billing.prices.synced();
  expect(sold()).toBe(second.stripeResult.priceId);
  expect(await priceOf(first.stripeResult.priceId)).toEqual({ active: false, amount: 500 });
  expect(await priceOf(second.stripeResult.priceId)).toEqual({ active: true, amount: 700 });

  // a provider that does not respond blocks no manifest
  await shop.network.stop();
  try {
    expect(await priced('1.2.0', 800)).toMatchObject({ status: 200, result: 'staged' });
  } finally {
    await shop.network.resume();
  }
  await admin.deleteManifest({ params, body: {} });
});

test('the rental of a deleted server is not renewed, and comes back only when its user resumes it', async () => {
  const params = { id: 'leaving' };
  await upload(manifest('leaving', { name: 'Leaving', billing: { tier: 'T1', rental: { price: 500 } } }));
  await admin.deployManifest({ params, body: {} });
  await shop.billing.prices.synced();
  const [ann, bob] = [await newPerson(), await newPerson()];
  const paid = [await ann.rent('leaving'), await bob.rent('leaving')];
  const endOf = async (id = '') => (await shop.stripe.subscriptions.retrieve(id)).cancel_at_period_end;
  const ends = () => Promise.all(paid.map(endOf));
  const run = () => shop.billing.payments?.subscriptions.endUnoffered();
  const changed = (person: typeof ann) => person.api.resumeRental({ params: { mcpId: 'leaving' } });
  await run();
  expect(await ends(), 'while it is offered').toEqual([false, false]);
  expect(await ann.rental()).toMatchObject({ charge: { amountCents: 500 } });

  await shop.network.stop();
  onTestFinished(() => shop.network.resume());
  expect(await admin.deleteManifest({ params, body: {} })).toEqual({
    success: true,
    id: 'leaving',
    renters: 2,
    refunds: [],
  });
  expect((await audits('leaving')).at(-1)).toMatchObject({
    action: 'manifest.deleted',
    details: { deployed: '1.0.0', via: 'administration', renters: 2 },
  });
  // before the provider is notified
  const rental = { name: 'Leaving', isOffered: false, charge: null, chargeIfResumed: null };
  expect(await ann.rental()).toMatchObject({ ...rental, status: 'active' });
  const gone = {
    status: 409,
    code: 'not_active',
    message: 'Leaving is no longer offered: its rental is not renewed.',
  };
  await expect(changed(ann)).rejects.toMatchObject(gone);
  await expect(run()).rejects.toMatchObject({ code: 'payments_unavailable' });
  await shop.network.resume();
  await run();
  expect(await ends(), 'with the paid period').toEqual([true, true]);
  await expect(bob.api.cancelRental({ params: { mcpId: 'leaving' } })).rejects.toMatchObject(gone);
  await run();
  expect(await ends()).toEqual([true, true]);
  expect(await ann.rental()).toMatchObject({ ...rental, status: 'canceled' });
  expect(await ann.history()).toEqual(['rental_create completed 500', 'rental_cancel completed 0']);
  await expect(changed(ann)).rejects.toMatchObject(gone);
  const { rows: told } = await shop.db.query<{ description: string }>(
    `select description from transactions where server_id = 'leaving' and type = 'rental_cancel'`,
  );
  expect(told.map(({ description }) => description)).toEqual(Array(2).fill('Cancellation: Rental of Leaving'));

  await admin.deployManifest({ params, body: {} });
  await run();
  expect(await ends(), 'nothing is resumed without the users').toEqual([true, true]);
  expect(await ann.rental()).toMatchObject({ isOffered: true, status: 'canceled' });
  await changed(ann);
  await run();
  expect(await ends()).toEqual([false, true]);
  expect(await ann.rental()).toMatchObject({ status: 'active' });
  await admin.deleteManifest({ params, body: {} });
});

test('the rentals of an undeployed server are not renewed, however soon it is deployed again', async () => {
  const params = { id: 'brief' };
  await upload(manifest('brief', { name: 'Brief', billing: { tier: 'T1', rental: { price: 500 } } }));
  await admin.deployManifest({ params, body: {} });
  await shop.billing.prices.synced();
  const ann = await newPerson();
  const paymentId = (await ann.rent('brief')) ?? '';
  const ends = async () => (await shop.stripe.subscriptions.retrieve(paymentId)).cancel_at_period_end;
  const isCanceled = async () => (await ann.rental())?.status === 'canceled';

  // no job has run
  await admin.undeployManifest({ params, body: {} });
  await waitUntil('it ends', isCanceled);
  expect(await ends()).toBe(true);
  // a rental that was resumed at the provider, unless the broker ends it again before they do
  let canceled: Awaited<ReturnType<typeof ann.api.cancelRental>> | undefined;
  await waitUntil('they cancel it', async () => {
    await shop.stripe.subscriptions.update(paymentId, { cancel_at_period_end: false });
    canceled = await ann.api.cancelRental({ params: { mcpId: 'brief' } }).catch(() => undefined);
    return canceled !== undefined;
  });
  expect(canceled).toEqual({
    success: true,
    message: 'The rental of Brief is canceled. Brief is no longer offered: its rental is not renewed.',
    endsAt: (await ann.rental())?.endDate,
  });
  await admin.deployManifest({ params, body: {} });
  expect(await ann.rental()).toMatchObject({ isOffered: true, status: 'canceled', charge: null });
  await ann.api.resumeRental({ params: { mcpId: 'brief' } });
  expect(await ends()).toBe(false);

  await shop.network.stop();
  onTestFinished(() => shop.network.resume());
  await admin.undeployManifest({ params, body: {} });
  await waitUntil('it is recorded', async () => {
    const { rows } = await shop.db.query('select from subscription_syncs where payment_id = $1 and end_wanted', [
      paymentId,
    ]);
    return rows.length === 1;
  });
  await admin.deployManifest({ params, body: {} });
  await shop.network.resume();
  await shop.billing.payments?.subscriptions.endWanted();
  expect(await isCanceled()).toBe(true);
  expect(await ends()).toBe(true);
});
