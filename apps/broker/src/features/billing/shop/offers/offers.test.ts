import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getRentalOptions, listCreditPackages, listPlans } from '@souk/contract/billing/billing.ts';
import { createClient } from '@souk/contract/client.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ConfigError } from '#platform/config.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { giveCredits } from '#testing/people/grant-credits.ts';
import { startHttpFixture, type HttpFixture } from '#testing/servers/mcp-fixture.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { paths } from '../../../../paths.ts';
import { readOffers, type Offers } from './read-offers.ts';

let app: TestApp;
let fixture: HttpFixture;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'souk-offers-'));
  fixture = await startHttpFixture('both');
  app = await startTestApp({ allowAddresses: [fixture.address], env: withoutHealthChecks });
  await app.billing.prices.synced();
  const billing = { tier: 'T2', rental: { price: 900, currency: 'USD' }, trialDays: 7 };
  await deployManifest(app, { id: 'pro', connection: { type: 'http', url: fixture.url }, billing });
});
afterAll(async () => {
  await app?.stop();
  await fixture?.close();
  await rm(folder, { recursive: true, force: true });
});

const endpoints = [listPlans, listCreditPackages, getRentalOptions] as const;
const clientOf = ({ publicUrl }: TestApp, token?: string) =>
  createClient(endpoints, { baseUrl: publicUrl, fetch, token: async () => token });

const bundled = async () => JSON.parse(await readFile(paths.offers, 'utf8')) as Offers;

test('[PAY-9] [PLAN-19] [PLAN-21] [PLAN-24] the plans are public: free, basic, pro and enterprise, one per tier', async () => {
  const { plans } = await clientOf(app).listPlans();
  expect(plans.map(({ planId, tier }) => `${planId} ${tier}`)).toEqual([
    'free T0',
    'basic T1',
    'pro T2',
    'enterprise T3',
  ]);
  const priceOf = (planId: string) => app.billing.prices.priceOf('plan', planId)?.priceId ?? null;
  const offered = (await bundled()).plans.map((plan) => ({
    ...plan,
    priceId: priceOf(plan.planId),
    active: true,
    popular: plan.planId === 'pro',
  }));
  expect(plans).toEqual(offered);
  expect(plans[1]).toEqual({
    planId: 'basic',
    name: 'Basic',
    description: 'Services of the Basic tier, and credits each month.',
    amount: 500,
    currency: 'USD',
    period: 'month',
    features: ['Everything in Free', 'All services of the Basic tier'],
    priceId: expect.stringMatching(/^price_/),
    active: true,
    tier: 'T1',
    monthlyCredits: 200,
    popular: false,
  });
  const [free, ...paid] = plans;
  expect(free).toMatchObject({ amount: 0, monthlyCredits: 0, priceId: null });
  expect(paid.every(({ amount, monthlyCredits }) => amount > 0 && monthlyCredits > 0)).toBe(true);
});

test('[PAY-8] [PLAN-20] [PLAN-22] the three credit packages are public', async () => {
  const { packages } = await clientOf(app).listCreditPackages();
  const priceOf = (id: string) => app.billing.prices.priceOf('package', id)?.priceId;
  const offered = (await bundled()).packages.map((one) => ({
    ...one,
    stripePriceId: priceOf(one.packageId),
    popular: false,
  }));
  expect(packages).toEqual(offered);
  expect(packages).toHaveLength(3);
  expect(packages[1]).toEqual({
    packageId: 'credits-2000',
    name: 'Regular',
    credits: 2000,
    bonus: 200,
    price: 2000,
    currency: 'USD',
    stripePriceId: expect.stringMatching(/^price_/),
    popular: false,
  });
});

test('[PAY-10] the options of a server say how to get access to it, and which credits are available', async () => {
  const email = 'ann@souk.test';
  const { accessToken } = await new ScriptedBrowser(app.publicUrl).signInWeb({ email });
  const optionsOf = () => clientOf(app, accessToken).getRentalOptions({ params: { mcpId: 'pro' } });
  const options = {
    success: true,
    mcpId: 'pro',
    rental: {
      name: 'pro rental',
      description: 'Monthly rental of pro',
      price: 900,
      currency: 'USD',
      period: 'monthly',
    },
    trialDays: 7,
    isTrialUsed: false,
    down: null,
    access: {
      hasAccess: false,
      accessType: 'none',
      expiresAt: null,
      isTrialPeriod: false,
      isCancelled: false,
      renews: false,
      plan: null,
      features: [],
    },
  };
  expect(await optionsOf()).toEqual({ ...options, creditsAvailable: 0 });
  const userId = await giveCredits(app, email, 40);
  expect(await optionsOf()).toEqual({ ...options, creditsAvailable: 40 });
  // credits held by a running call cannot be spent on anything else
  const call = { callId: randomUUID(), userId, serverId: 'pro', tool: 'echo', credits: 15 };
  const hold = await app.billing.charges.hold(call);
  if (hold.kind !== 'hold') throw new Error('there is no hold');
  expect(await optionsOf()).toEqual({ ...options, creditsAvailable: 25 });
  hold.release('cancelled');
  const signedOut = clientOf(app).getRentalOptions({ params: { mcpId: 'pro' } });
  await expect(signedOut).rejects.toMatchObject({ status: 401 });
  const unknown = clientOf(app, accessToken).getRentalOptions({ params: { mcpId: 'nowhere' } });
  await expect(unknown).rejects.toMatchObject({ status: 404, message: 'There is no server nowhere' });
});

test('[PLAN-23] plans and packages are data: a start brings the database up to date with the file, and offers that left it are not sold', async () => {
  const offers = await bundled();
  const file = join(folder, 'offers.json');
  const [free, basic] = offers.plans;
  await writeFile(file, JSON.stringify({ plans: [free, { ...basic, amount: 700 }], packages: [] }));
  const { offers: store } = app.billing;
  await store.replace(readOffers(file));
  const { plans } = await clientOf(app).listPlans();
  expect(plans.map(({ planId, amount }) => [planId, amount])).toEqual([
    ['free', 0],
    ['basic', 700],
  ]);
  expect((await clientOf(app).listCreditPackages()).packages).toEqual([]);
  await store.replace(readOffers(paths.offers));
  await app.billing.prices.synced();
  expect((await clientOf(app).listPlans()).plans).toHaveLength(4);
});

test('a start with an unusable file fails, and names the file and its fields', async () => {
  const file = join(folder, 'offers.json');
  await writeFile(file, '{}');
  const start = startTestApp({ paths: { offers: file } });
  await expect(start).rejects.toBeInstanceOf(ConfigError);
  await expect(start).rejects.toThrow(/offers\.json: plans .*\n.*offers\.json: packages /);
});
