import { getRentalOptions, getSubscription, listPlans, startTrial } from '@souk/contract/billing.ts';
import { getUserProfile } from '@souk/contract/identity.ts';
import { createClient } from '@souk/contract/client.ts';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { connectModern, postModern } from '#testing/mcp-clients.ts';
import { startHttpFixture, type HttpFixture } from '#testing/mcp-fixture.ts';
import { ScriptedBrowser } from '#testing/scripted-browser.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';

const dayMs = 24 * 60 * 60_000;
const rental = { price: 900, currency: 'USD' };

let app: TestApp;
let fixture: HttpFixture;
let aheadMs = 0;
let people = 0;

beforeAll(async () => {
  fixture = await startHttpFixture('both');
  app = await startTestApp({
    allowAddresses: [fixture.address],
    clock: { now: () => Date.now() + aheadMs },
  });
  const connection = { type: 'http', url: fixture.url };
  await deployManifest(app, { id: 'plain', connection });
  await deployManifest(app, { id: 'free', connection, billing: { tier: 'T0', rental } });
  await deployManifest(app, { id: 'basic', connection, billing: { tier: 'T1' } });
  await deployManifest(app, { id: 'pro', connection, billing: { tier: 'T2', rental, trialDays: 7 } });
  await deployManifest(app, { id: 'top', connection, billing: { tier: 'T3' } });
});
beforeEach(() => (aheadMs = 0));
afterAll(async () => {
  await app?.stop();
  await fixture?.close();
});

type Person = Awaited<ReturnType<typeof newPerson>>;

/** Someone who owns nothing yet. */
async function newPerson() {
  const email = `person-${(people += 1)}@souk.test`;
  const { accessToken } = await new ScriptedBrowser(app.publicUrl).signInWeb({ email });
  const { token } = await app.identity.createPersonalToken({ email, name: 'test' });
  const endpoints = [getSubscription, getRentalOptions, startTrial, listPlans, getUserProfile] as const;
  const api = createClient(endpoints, { baseUrl: app.publicUrl, fetch, token: async () => accessToken });
  const { id: userId } = await api.getUserProfile();
  const accessTo = async (mcpId: string) => (await api.getRentalOptions({ params: { mcpId } })).access;
  return { userId, token, api, accessTo };
}

const at = (days: number) => new Date(Date.now() + days * dayMs);

/** As administrators give it, or as it was paid for. */
async function give(
  person: Person,
  kind: 'rental' | 'purchase',
  serverId: string,
  given: Record<string, unknown> = {},
) {
  const row = {
    id: crypto.randomUUID(),
    user_id: person.userId,
    livemode: false,
    server_id: serverId,
    kind,
    source: 'administrator',
    period: kind === 'rental' ? 'monthly' : null,
    started_at: at(-1),
    period_ends_at: kind === 'rental' ? at(30) : null,
    ...given,
  };
  await insert('access_grants', row);
}

async function givePlan(person: Person, planId: string, given: Record<string, unknown> = {}) {
  const row = { id: crypto.randomUUID(), user_id: person.userId, livemode: false, plan_id: planId, source: 'payment' };
  await insert('subscriptions', { ...row, started_at: at(-1), period_ends_at: at(30), ...given });
}

async function insert(table: string, row: Record<string, unknown>) {
  const names = Object.keys(row);
  await app.db.query(
    `insert into ${table} (${names.join(', ')}) values (${names.map((_, index) => `$${index + 1}`).join(', ')})`,
    Object.values(row),
  );
}

test('[ACC-1] [ACC-10] a rental comes before a purchase, that before a trial, that before a plan, and without any there is none', async () => {
  const person = await newPerson();
  const type = async () => (await person.accessTo('pro')).accessType;
  expect(await type()).toBe('none');
  await givePlan(person, 'pro');
  expect(await type()).toBe('subscription');
  const tried = await newPerson();
  await tried.api.startTrial({ body: { mcpId: 'pro' } });
  await givePlan(tried, 'pro');
  expect((await tried.accessTo('pro')).accessType).toBe('trial');
  await give(tried, 'purchase', 'pro');
  expect((await tried.accessTo('pro')).accessType).toBe('purchase');
  await give(tried, 'rental', 'pro');
  expect((await tried.accessTo('pro')).accessType).toBe('rental');
});

test.each([
  ['[ACC-2] a rental', (person: Person) => give(person, 'rental', 'pro')],
  ['[ACC-3] a purchase', (person: Person) => give(person, 'purchase', 'pro')],
  ['[ACC-4] a trial', (person: Person) => person.api.startTrial({ body: { mcpId: 'pro' } })],
  ['[ACC-5] a plan whose tier covers the server', (person: Person) => givePlan(person, 'pro')],
])('%s gives access: its tools are in the link and answer', async (_, obtain) => {
  const person = await newPerson();
  // asked by hand: the official client keeps a list for as long as its answer says
  const list = async () => JSON.stringify((await postModern(`${app.publicUrl}/mcp`, person.token, 'tools/list')).body);
  const client = await connectModern(`${app.publicUrl}/mcp`, person.token);
  const call = () => client.callTool({ name: 'pro__echo', arguments: { text: 'mine' } });
  expect(await list()).not.toContain('"pro__echo"');
  expect(await call()).toMatchObject({ isError: true, _meta: { 'souk/code': 'not_included' } });
  await obtain(person);
  aheadMs += 6_000; // what is known of a person is trusted for 5 s where no notice comes
  expect(await list()).toContain('"pro__echo"');
  expect((await call()).isError).toBeFalsy();
  await client.close();
});

test("[ACC-6] without access a call says that the tier's plan or a rental is needed", async () => {
  const client = await connectModern(`${app.publicUrl}/mcp`, (await newPerson()).token);
  const textOf = async (name: string) => JSON.stringify((await client.callTool({ name, arguments: {} })).content);
  expect(await textOf('pro__echo')).toContain('It comes with the Professional plan, or can be rented.');
  expect(await textOf('top__echo')).toContain('It comes with the Enterprise plan. ');
  await client.close();
});

test('[ACC-5] [ACC-7] [ACC-15] the highest tier of a person covers servers of its level and below', async () => {
  const person = await newPerson();
  await givePlan(person, 'basic');
  await givePlan(person, 'pro');
  const types = async () =>
    Promise.all(['basic', 'pro', 'top'].map(async (id) => (await person.accessTo(id)).accessType));
  expect(await types()).toEqual(['subscription', 'subscription', 'none']);
  expect((await person.accessTo('basic')).features).toEqual(['System subscription (pro)']);
  const small = await newPerson();
  await givePlan(small, 'basic');
  expect((await small.accessTo('pro')).accessType).toBe('none');
});

test('[ACC-9] the access to a server says how, until when, and whether it is a trial', async () => {
  const person = await newPerson();
  const endsAt = at(3);
  await give(person, 'rental', 'pro', { period_ends_at: endsAt, features: '["Fast lane"]' });
  expect(await person.accessTo('pro')).toEqual({
    hasAccess: true,
    accessType: 'rental',
    expiresAt: endsAt.toISOString(),
    isTrialPeriod: false,
    features: ['Fast lane'],
    isCancelled: false,
  });
  expect(await person.accessTo('top')).toMatchObject({ hasAccess: false, accessType: 'none', expiresAt: null });
});

test('[ACC-11] a purchase without an end is permanent', async () => {
  const person = await newPerson();
  await give(person, 'purchase', 'pro', { started_at: at(-40 * 365) });
  expect(await person.accessTo('pro')).toMatchObject({ accessType: 'purchase', expiresAt: null });
});

test('[ACC-12] [ACC-13] [ACC-14] T0 is free for everyone signed in, unless they rent or bought it', async () => {
  const person = await newPerson();
  expect((await person.accessTo('plain')).accessType).toBe('free');
  expect((await person.accessTo('free')).accessType).toBe('free');
  await give(person, 'purchase', 'plain');
  await give(person, 'rental', 'free');
  expect((await person.accessTo('plain')).accessType).toBe('purchase');
  expect((await person.accessTo('free')).accessType).toBe('rental');
});

test('[ACC-16] [ACC-17] a trial is started once, where the manifest gives one', async () => {
  const person = await newPerson();
  const start = (mcpId: string) => person.api.startTrial({ body: { mcpId } });
  await expect(start('top')).rejects.toMatchObject({ status: 400, message: 'top offers no trial' });
  const both = await Promise.allSettled([start('pro'), start('pro')]);
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(await person.accessTo('pro')).toMatchObject({ accessType: 'trial', isTrialPeriod: true });
  await expect(start('pro')).rejects.toMatchObject({ status: 409, code: 'trial_used' });
  const owner = await newPerson();
  await give(owner, 'purchase', 'pro');
  await expect(owner.api.startTrial({ body: { mcpId: 'pro' } })).rejects.toMatchObject({ code: 'has_access' });
});

test('a trial ends by the clock, also where a client stays connected, and is not started again', async () => {
  const person = await newPerson();
  await person.api.startTrial({ body: { mcpId: 'pro' } });
  const client = await connectModern(`${app.publicUrl}/mcp`, person.token);
  const call = () => client.callTool({ name: 'pro__echo', arguments: { text: 'mine' } });
  aheadMs = 7 * dayMs - 60_000;
  expect((await call()).isError).toBeFalsy();
  aheadMs = 7 * dayMs + 1_000;
  expect(await call()).toMatchObject({ isError: true, _meta: { 'souk/code': 'not_included' } });
  await client.close();
});

test('[ACC-21] [ACC-22] what is cancelled stays usable until its period ends, and not longer', async () => {
  const person = await newPerson();
  const cancelled = { cancelled_at: at(0), period_ends_at: new Date(Date.now() + 5 * 60_000) };
  await give(person, 'rental', 'pro', { ...cancelled, source: 'payment', payment_id: crypto.randomUUID() });
  await givePlan(person, 'basic', { ...cancelled, payment_id: crypto.randomUUID() });
  expect(await person.accessTo('pro')).toMatchObject({ accessType: 'rental', isCancelled: true });
  expect(await person.accessTo('basic')).toMatchObject({ accessType: 'subscription', isCancelled: true });
  const profile = await person.api.getUserProfile();
  expect(profile).toMatchObject({ planId: 'basic', planStatus: 'canceled' });
  aheadMs = 5 * 60_000 + 1_000;
  expect((await person.accessTo('pro')).accessType).toBe('none');
  expect((await person.accessTo('basic')).accessType).toBe('none');
  expect(await person.api.getUserProfile()).toMatchObject({ planId: 'free', planStatus: 'active' });
});

test('what renews itself stays usable while the news of its renewal is late; what was taken away does not', async () => {
  const person = await newPerson();
  await givePlan(person, 'pro', { period_ends_at: at(-1), payment_id: crypto.randomUUID(), past_due: true });
  expect((await person.accessTo('pro')).accessType).toBe('subscription');
  const late = await newPerson();
  await givePlan(late, 'pro', { period_ends_at: at(-3), payment_id: crypto.randomUUID() });
  expect((await late.accessTo('pro')).accessType).toBe('none');
  const removed = await newPerson();
  await give(removed, 'purchase', 'pro', { ended_at: at(-0.5) });
  expect((await removed.accessTo('pro')).accessType).toBe('none');
});

test('[CFG-43] with real keys, what was sold in the sandbox grants nothing', async () => {
  const person = await newPerson();
  await give(person, 'rental', 'pro', { livemode: true });
  await givePlan(person, 'pro', { livemode: true });
  expect((await person.accessTo('pro')).accessType).toBe('none');
});

test('[SUB-1] [SUB-2] [SUB-3] [SUB-4] [SUB-5] [SUB-6] [SUB-7] [SUB-8] all that a person owns is in one answer', async () => {
  const person = await newPerson();
  await givePlan(person, 'pro', { payment_id: crypto.randomUUID() });
  await give(person, 'rental', 'free');
  await give(person, 'purchase', 'top');
  await person.api.startTrial({ body: { mcpId: 'pro' } }).catch(() => undefined);
  const tried = await newPerson();
  await tried.api.startTrial({ body: { mcpId: 'pro' } });
  expect(await person.api.getSubscription()).toEqual({
    success: true,
    subscription: {
      subscriptions: [
        {
          id: expect.any(String),
          planName: 'Pro',
          mcpId: 'pro',
          type: 'subscription',
          status: 'active',
          currentPeriodEnd: expect.any(String),
          nextPlanId: null,
          source: 'payment',
        },
      ],
      rentals: [
        {
          id: expect.any(String),
          mcpId: 'free',
          status: 'active',
          type: 'monthly',
          startDate: expect.any(String),
          endDate: expect.any(String),
          features: [],
          source: 'administrator',
        },
      ],
      purchases: [{ id: expect.any(String), mcpId: 'top', status: 'active' }],
      trials: [],
    },
    activeTiers: ['T0', 'T2'],
    credits: { balance: 0, currency: 'USD', available: 0, held: 0, debt: 0, parts: [] },
    summary: {
      hasActiveSubscriptions: true,
      totalSubscriptions: 1,
      totalPurchases: 1,
      totalRentals: 1,
      totalTrials: 0,
    },
  });
  const { trials } = (await tried.api.getSubscription()).subscription;
  expect(trials).toEqual([{ id: expect.any(String), mcpId: 'pro', status: 'active', expiresAt: expect.any(String) }]);
});

test('nothing of one person reaches another', async () => {
  const [one, other] = [await newPerson(), await newPerson()];
  await give(one, 'purchase', 'pro');
  expect((await other.accessTo('pro')).accessType).toBe('none');
  expect((await other.api.getSubscription()).summary.totalPurchases).toBe(0);
});
