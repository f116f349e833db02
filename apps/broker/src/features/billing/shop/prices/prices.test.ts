import { randomBytes } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { readFile } from 'node:fs/promises';
import { listCreditPackages, listPlans } from '@souk/contract/billing/billing.ts';
import { getCapabilities } from '@souk/contract/catalogue/catalogue.ts';
import { createClient } from '@souk/contract/client.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { startHttpFixture, type HttpFixture } from '#testing/servers/mcp-fixture.ts';
import { connectStripe } from '#testing/people/open-checkout.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { paths } from '../../../../paths.ts';
import { newBuyer } from '../checkout/testing/shop.ts';
import type { Offers } from '../offers/read-offers.ts';

let app: TestApp;
let fixture: HttpFixture;
let stripe: ReturnType<typeof connectStripe>;
let offered: Offers;

beforeAll(async () => {
  fixture = await startHttpFixture('both');
  app = await startTestApp({ allowAddresses: [fixture.address], env: withoutHealthChecks });
  await deployServer(900, '1.0.0');
  await app.billing.prices.synced();
  if (!app.stripeSandbox) throw new Error('the stand-in is not running');
  stripe = connectStripe(app.stripeSandbox.access);
  offered = JSON.parse(await readFile(paths.offers, 'utf8'));
});
afterAll(async () => {
  await app?.stop();
  await fixture?.close();
});

const deployServer = (price: number, version: string) =>
  deployManifest(app, {
    id: 'pro',
    version,
    connection: { type: 'http', url: fixture.url },
    billing: { tier: 'T2', rental: { price } },
  });
const api = () =>
  createClient([listPlans, listCreditPackages, getCapabilities] as const, { baseUrl: app.publicUrl, fetch });
const rentalOf = async () =>
  (await api().getCapabilities()).servers.find(({ serverId }) => serverId === 'pro')?.billing?.rental;

test('[PLAN-19] a plan has a monthly price at the payment provider; the free plan has none', async () => {
  const { plans } = await api().listPlans();
  expect(plans.find(({ planId }) => planId === 'free')?.priceId).toBeNull();
  const paid = plans.filter(({ amount }) => amount > 0);
  expect(paid).toHaveLength(3);
  for (const { planId, priceId, amount } of paid) {
    const price = await stripe.prices.retrieve(priceId ?? '', { expand: ['product'] });
    expect(price).toMatchObject({
      active: true,
      unit_amount: amount,
      currency: 'usd',
      recurring: { interval: 'month', interval_count: 1 },
      lookup_key: `souk_plan_${planId}`,
      product: { id: `souk_plan_${planId}`, active: true },
    });
  }
});

test('[PLAN-20] a credit package has a price at the payment provider, which is paid once', async () => {
  const { packages } = await api().listCreditPackages();
  for (const { packageId, stripePriceId, price } of packages) {
    expect(await stripe.prices.retrieve(stripePriceId ?? '')).toMatchObject({
      active: true,
      unit_amount: price,
      recurring: null,
      product: `souk_package_${packageId}`,
    });
  }
});

test('[CAT-10] a rental has a price at the payment provider; a changed amount creates a new price, and the old one is no longer sold', async () => {
  const before = await rentalOf();
  expect(before).toMatchObject({ price: 900, currency: 'USD', stripePriceId: expect.stringMatching(/^price_/) });
  await deployServer(1200, '1.1.0');
  await app.billing.prices.synced();
  const after = await rentalOf();
  expect(after?.stripePriceId).not.toBe(before?.stripePriceId);
  expect(await stripe.prices.retrieve(after?.stripePriceId ?? '')).toMatchObject({
    active: true,
    unit_amount: 1200,
    lookup_key: 'souk_rental_pro',
    recurring: { interval: 'month' },
  });
  expect(await stripe.prices.retrieve(before?.stripePriceId ?? '')).toMatchObject({ active: false, lookup_key: null });
});

test('a price that the provider does not have yet is not shown as its price', async () => {
  const raised = offered.plans.map((plan) => (plan.planId === 'pro' ? { ...plan, amount: plan.amount + 100 } : plan));
  await app.billing.offers.replace({ ...offered, plans: raised });
  const priceId = async () => (await api().listPlans()).plans.find(({ planId }) => planId === 'pro')?.priceId;
  const old = app.billing.prices.priceOf('plan', 'pro')?.priceId;
  expect(await priceId()).not.toBe(old);
  await waitUntil('the new price to be in effect', async () => typeof (await priceId()) === 'string');
  expect(await stripe.prices.retrieve((await priceId()) ?? '')).toMatchObject({
    unit_amount: app.billing.prices.priceOf('plan', 'pro')?.amount,
  });
});

test('two brokers that start concurrently, and later starts, create one price per offer', async () => {
  const { prices } = app.billing;
  const offer = { kind: 'rental', id: 'raced', name: 'Raced', description: 'Of both.', currency: 'USD' } as const;
  const put = (amount: number) =>
    Promise.all([1, 2, 3].map(() => prices.put({ ...offer, amount }))).then(
      (all) => new Set(all.map((one) => one.priceId)),
    );
  const first = await put(500);
  expect(first.size).toBe(1);
  expect(await put(500)).toEqual(first);
  const second = await put(700);
  expect(second.size).toBe(1);
  const { data } = await stripe.prices.list({ product: 'souk_rental_raced' });
  expect(data.map(({ id, active }) => [id, active])).toEqual([
    [[...second][0], true],
    [[...first][0], false],
  ]);
});

test('a start does not wait for a provider that does not respond, and logs it without the key', async () => {
  // a test sends nothing to Stripe: the proxy refuses
  const env = {
    STRIPE_SECRET_KEY: 'sk_live_canary',
    STRIPE_WEBHOOK_SECRET: 'whsec_canary',
    HTTPS_PROXY: 'http://127.0.0.1:9',
  };
  const other = await startTestApp({ env });
  try {
    const { plans } = await createClient([listPlans] as const, { baseUrl: other.publicUrl, fetch }).listPlans();
    expect(plans.map(({ priceId }) => priceId)).toEqual([null, null, null, null]);
    await waitUntil('it to be logged', () => other.logged().includes('could not be sent to the payment provider'));
    expect(other.logged()).not.toMatch(/sk_live_canary|whsec_canary/);
  } finally {
    await other.stop();
  }
});

test('a rental in another currency than the plans is not sold; the next start says so, continues, and requests all prices of the provider together', async () => {
  const env = { MASTER_KEY: randomBytes(32).toString('base64url') };
  const asked: { port: number | undefined; path: string }[] = [];
  const note = (message: unknown) => {
    const { request } = message as { request: IncomingMessage };
    asked.push({ port: request.socket.localPort, path: `${request.method} ${request.url?.split('?')[0]}` });
  };
  const { db, ...other } = await startTestApp({ env });
  try {
    const billing = { tier: 'T1', rental: { price: 500, currency: 'EUR' } };
    const foreign = { id: 'foreign', connection: { type: 'http', url: fixture.url }, billing };
    await deployManifest({ db, ...other }, foreign, 'unasked');
    const small = { ...foreign, id: 'small', billing: { tier: 'T1', rental: { price: 500 } } };
    await deployManifest({ db, ...other }, small, 'unasked');
    // deployed before such a price was refused
    await db.query(
      `update manifest_versions set body = jsonb_set(body::jsonb, '{billing,rental,price}', '49') where server_id = 'small'`,
    );
    await other.billing.prices.synced();
    subscribe('http.server.request.start', note);
    const next = await startTestApp({ env, db: { ...db, close: async () => {} } });
    expect(next.logged()).toContain(
      'the rental of foreign is not sold: billing.rental.currency is EUR, and all prices must be in USD',
    );
    expect(next.logged()).toContain('the rental of small is not sold: billing.rental.price must be at least 50');
    await next.billing.prices.synced();
    unsubscribe('http.server.request.start', note);
    const ofNext = asked.filter(({ port }) => port === next.stripeSandbox?.access.port);
    expect(ofNext.map(({ path }) => path)).toEqual(['GET /v1/products', 'GET /v1/prices']);
    const buyer = await newBuyer(next);
    await expect(
      buyer.api.startCheckout({ body: { type: 'rental', mcpId: 'foreign', period: 'monthly' } }),
    ).rejects.toMatchObject({ status: 400, message: 'mcpId: foreign cannot be rented' });
    for (const mcpId of ['foreign', 'small'])
      expect((await buyer.api.getRentalOptions({ params: { mcpId } })).rental).toBeNull();
    await next.stop();
  } finally {
    unsubscribe('http.server.request.start', note);
    await other.stop();
  }
});
