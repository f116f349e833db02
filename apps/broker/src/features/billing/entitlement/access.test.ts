import { tiers } from '@souk/contract/tiers.ts';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { connectModern, postModern } from '#testing/people/mcp-clients.ts';
import { startHttpFixture, type HttpFixture } from '#testing/servers/mcp-fixture.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { at, dayMs, give, givePlan, newPerson, type Person } from './testing/people.ts';

const rental = { price: 900, currency: 'USD' };
const minuteMs = 60_000;

let app: TestApp;
let fixture: HttpFixture;
let aheadMs = 0;

beforeAll(async () => {
  fixture = await startHttpFixture('both');
  app = await startTestApp({
    allowAddresses: [fixture.address],
    env: withoutHealthChecks,
    clock: { now: () => Date.now() + aheadMs },
  });
  const connection = { type: 'http', url: fixture.url };
  await deployManifest(app, { id: 'plain', connection });
  await deployManifest(app, { id: 'free', connection, billing: { tier: 'T0', rental } });
  await deployManifest(app, { id: 'basic', connection, billing: { tier: 'T1' } });
  await deployManifest(app, { id: 'pro', connection, billing: { tier: 'T2', rental, trialDays: 7 } });
  await deployManifest(app, { id: 'top', connection, billing: { tier: 'T3' } });
  await deployManifest(app, { id: 'tried-too', connection, billing: { tier: 'T2', trialDays: 3 } });
});
beforeEach(() => (aheadMs = 0));
afterAll(async () => {
  await app?.stop();
  await fixture?.close();
});

test('[ACC-1] [ACC-10] a rental comes before a purchase, a purchase before a trial, a trial before a plan, and without any of them there is no access', async () => {
  const person = await newPerson(app);
  const type = async () => (await person.accessTo('pro')).accessType;
  expect(await type()).toBe('none');
  await givePlan(person, 'pro');
  expect(await type()).toBe('subscription');
  const tried = await newPerson(app);
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
])('%s gives access: its tools are in the link and callable', async (_, obtain) => {
  const person = await newPerson(app);
  // requested directly: the official client caches a list for as long as the response says
  const list = async () => JSON.stringify((await postModern(`${app.publicUrl}/mcp`, person.token, 'tools/list')).body);
  const client = await connectModern(`${app.publicUrl}/mcp`, person.token);
  const call = () => client.callTool({ name: 'pro__echo', arguments: { text: 'mine' } });
  expect(await list()).not.toContain('"pro__echo"');
  expect(await call()).toMatchObject({ isError: true, _meta: { 'souk/code': 'not_included' } });
  await obtain(person);
  aheadMs += 61_000; // without a notice, a user's entitlements are cached for a minute
  expect(await list()).toContain('"pro__echo"');
  expect((await call()).isError).toBeFalsy();
  await client.close();
});

test("[ACC-6] without access a call is refused and names the plan of the server's tier, or a rental", async () => {
  const client = await connectModern(`${app.publicUrl}/mcp`, (await newPerson(app)).token);
  const textOf = async (name: string) => JSON.stringify((await client.callTool({ name, arguments: {} })).content);
  expect(await textOf('pro__echo')).toContain('It is included in Pro ($19/month), or you can rent it for $9/month.');
  expect(await textOf('top__echo')).toContain('It is included in Enterprise ($99/month). ');
  await client.close();
});

test("[ACC-5] [ACC-7] [ACC-15] a user's highest tier covers servers of its level and below", async () => {
  const person = await newPerson(app);
  await givePlan(person, 'basic');
  await givePlan(person, 'pro');
  const types = async () =>
    Promise.all(['basic', 'pro', 'top'].map(async (id) => (await person.accessTo(id)).accessType));
  expect(await types()).toEqual(['subscription', 'subscription', 'none']);
  expect((await person.accessTo('basic')).features).toEqual(['System subscription (pro)']);
  const small = await newPerson(app);
  await givePlan(small, 'basic');
  expect((await small.accessTo('pro')).accessType).toBe('none');
});

test('[ACC-8] the tiers are Free, Basic, Professional and Enterprise, of levels 0 to 3', async () => {
  expect(Object.entries(tiers).map(([id, { name, level }]) => `${id} ${name} ${level}`)).toEqual([
    'T0 Free 0',
    'T1 Basic 1',
    'T2 Professional 2',
    'T3 Enterprise 3',
  ]);
  const owners = { free: 1, basic: 2, pro: 3, enterprise: 4 };
  for (const [planId, covered] of Object.entries(owners)) {
    const person = await newPerson(app);
    if (planId !== 'free') await givePlan(person, planId);
    const has = async (id: string) => (await person.accessTo(id)).hasAccess;
    const all = await Promise.all(['plain', 'basic', 'pro', 'top'].map(has));
    expect(all, planId).toEqual([0, 1, 2, 3].map((level) => level < covered));
  }
});

test('[ACC-19] daily and weekly rentals are given by administrators, and not sold', async () => {
  const person = await newPerson(app);
  for (const period of ['daily', 'weekly']) {
    const answer = await fetch(`${app.publicUrl}/api/billing/checkout`, {
      method: 'POST',
      headers: { authorization: `Bearer ${person.accessToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ type: 'rental', mcpId: 'pro', period }),
    });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ message: 'Unsupported purchase type' });
  }
  await give(person, 'rental', 'pro', { period: 'daily', period_ends_at: at(1) });
  await give(person, 'rental', 'free', { period: 'weekly', period_ends_at: at(7) });
  const { rentals } = (await person.api.getSubscription()).subscription;
  expect(rentals.map(({ mcpId, type }) => `${mcpId} ${type}`).sort()).toEqual(['free weekly', 'pro daily']);
  expect((await person.accessTo('pro')).accessType).toBe('rental');
});

test('[ACC-9] access to a server says what gives it, until when, and whether it is a trial', async () => {
  const person = await newPerson(app);
  const features = '["Fast lane"]';
  const rented = await give(person, 'rental', 'free', { period_ends_at: at(3), features });
  await give(person, 'purchase', 'top', { features });
  const { access: tried } = await person.api.startTrial({ body: { mcpId: 'pro' } });
  const plan = await givePlan(person, 'basic', { period_ends_at: at(5), cancelled_at: at(0) });
  const trial = await trialOf(person);
  const without = {
    expiresAt: null,
    isTrialPeriod: false,
    isCancelled: false,
    renews: false,
    plan: null,
    features: [],
  };
  const has = { ...without, hasAccess: true };
  const none = { ...without, hasAccess: false, accessType: 'none' };
  const expected: Record<string, object> = {
    free: { ...has, accessType: 'rental', expiresAt: rented.period_ends_at?.toISOString(), features: ['Fast lane'] },
    top: { ...has, accessType: 'purchase', features: ['Fast lane'] },
    pro: { ...has, accessType: 'trial', isTrialPeriod: true, expiresAt: trial.endsAt },
    basic: {
      ...has,
      accessType: 'subscription',
      expiresAt: plan.period_ends_at.toISOString(),
      features: ['System subscription (basic)'],
      isCancelled: true,
      plan: {
        planId: 'basic',
        name: 'Basic',
        since: plan.started_at.toISOString(),
        isCancelled: true,
        includedUntil: plan.period_ends_at.toISOString(),
      },
    },
    plain: { ...has, accessType: 'free' },
    'tried-too': none,
  };
  for (const [id, access] of Object.entries(expected)) expect(await person.accessTo(id), id).toEqual(access);
  expect(tried).toEqual(expected['pro']);
  const { services } = await person.api.listMcpServices({ params: { userId: person.userId } });
  expect(Object.fromEntries(services.map(({ id, userAccess }) => [id, userAccess]))).toEqual(expected);
  const other = await newPerson(app);
  expect(await other.accessTo('top')).toEqual(none);
});

test('[ACC-11] a purchase without an end date is permanent', async () => {
  const person = await newPerson(app);
  await give(person, 'purchase', 'pro', { started_at: at(-40 * 365) });
  expect(await person.accessTo('pro')).toMatchObject({ accessType: 'purchase', expiresAt: null });
});

test('[ACC-12] [ACC-13] [ACC-14] T0 is free for every signed-in user, unless they rented or bought it', async () => {
  const person = await newPerson(app);
  expect((await person.accessTo('plain')).accessType).toBe('free');
  expect((await person.accessTo('free')).accessType).toBe('free');
  await give(person, 'purchase', 'plain');
  await give(person, 'rental', 'free');
  expect((await person.accessTo('plain')).accessType).toBe('purchase');
  expect((await person.accessTo('free')).accessType).toBe('rental');
});

test('[ACC-16] [ACC-17] a trial can be started once for each server whose manifest gives one, also after it has ended', async () => {
  const person = await newPerson(app);
  const start = (mcpId: string) => person.api.startTrial({ body: { mcpId } });
  await expect(start('top')).rejects.toMatchObject({ status: 400, message: 'top offers no trial' });
  const both = await Promise.allSettled([start('pro'), start('pro')]);
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(await person.accessTo('pro')).toMatchObject({ accessType: 'trial', isTrialPeriod: true });
  const used = { status: 409, code: 'trial_used' };
  await expect(start('pro')).rejects.toMatchObject(used);
  await start('tried-too');
  expect(await person.accessTo('tried-too'), 'another server').toMatchObject({ accessType: 'trial' });
  const { rows } = await app.db.query(
    `select server_id, extract(days from period_ends_at - started_at)::int as days from access_grants
     where user_id = $1 and kind = 'trial' order by server_id`,
    [person.userId],
  );
  expect(rows, 'as long as its manifest says').toEqual([
    { server_id: 'pro', days: 7 },
    { server_id: 'tried-too', days: 3 },
  ]);

  await app.db.query(
    `update access_grants set started_at = $2, period_ends_at = $3 where user_id = $1 and kind = 'trial'`,
    [person.userId, at(-8), at(-1)],
  );
  aheadMs += 61_000; // without a notice, a user's entitlements are cached for a minute
  expect((await person.accessTo('pro')).accessType, 'it has ended').toBe('none');
  await expect(start('pro')).rejects.toMatchObject(used);
  await expect(start('tried-too')).rejects.toMatchObject(used);
  expect((await person.accessTo('pro')).accessType).toBe('none');
  const owner = await newPerson(app);
  await give(owner, 'purchase', 'pro');
  await expect(owner.api.startTrial({ body: { mcpId: 'pro' } })).rejects.toMatchObject({ code: 'has_access' });
});

test('[CFG-43] with real keys, sandbox purchases grant nothing', async () => {
  const person = await newPerson(app);
  await give(person, 'rental', 'pro', { livemode: true });
  await givePlan(person, 'pro', { livemode: true });
  expect((await person.accessTo('pro')).accessType).toBe('none');
});

/** A user with a plan, a rental and two purchases, one of them limited in time. */
async function newOwner() {
  const person = await newPerson(app);
  const plan = await givePlan(person, 'pro', { payment_id: crypto.randomUUID(), period_ends_at: at(12) });
  const rented = await give(person, 'rental', 'free', { started_at: at(-2), period_ends_at: at(4) });
  const bought = await give(person, 'purchase', 'top', { started_at: at(-3) });
  const lent = await give(person, 'purchase', 'basic', { started_at: at(-4), period_ends_at: at(9) });
  return { plan, rented, bought, lent, answer: await person.api.getSubscription() };
}

test('[SUB-1] [SUB-2] [SUB-3] [SUB-4] one answer has everything that a user owns, with tiers, credits and counts', async () => {
  const { answer } = await newOwner();
  const { subscription, ...rest } = answer;
  expect(Object.keys(subscription).toSorted()).toEqual(['purchases', 'rentals', 'subscriptions', 'trials']);
  expect(rest).toEqual({
    success: true,
    activeTiers: ['T0', 'T1', 'T2'],
    credits: { balance: 0, currency: 'USD', available: 0, held: 0, debt: 0, parts: [] },
    summary: {
      hasActiveSubscriptions: true,
      totalSubscriptions: 1,
      totalPurchases: 2,
      totalRentals: 1,
      totalTrials: 0,
    },
  });
});

test('[SUB-5] [SUB-6] [SUB-7] [SUB-8] each owned item says what it is and when it ends', async () => {
  const { answer, plan, rented, bought, lent } = await newOwner();
  expect(answer.subscription).toEqual({
    subscriptions: [
      {
        id: plan.id,
        planName: 'Pro',
        mcpId: 'pro',
        tier: 'T2',
        type: 'subscription',
        status: 'active',
        currentPeriodEnd: plan.period_ends_at.toISOString(),
        nextPlanId: null,
        nextTier: null,
        pendingPlanId: null,
        pendingUntil: null,
        source: 'payment',
        renewal: null,
        priceChange: null,
        charge: null,
        chargeIfResumed: null,
      },
    ],
    rentals: [
      {
        id: rented.id,
        mcpId: 'free',
        status: 'active',
        type: 'monthly',
        startDate: rented.started_at.toISOString(),
        endDate: rented.period_ends_at?.toISOString(),
        features: [],
        source: 'administrator',
        name: 'free',
        isOffered: true,
        tier: 'T0',
        charge: null,
        chargeIfResumed: null,
      },
    ],
    purchases: [
      { id: bought.id, mcpId: 'top', status: 'active', name: 'top' },
      { id: lent.id, mcpId: 'basic', status: 'active', expiresAt: lent.period_ends_at?.toISOString(), name: 'basic' },
    ],
    trials: [],
  });
  const tried = await newPerson(app);
  await tried.api.startTrial({ body: { mcpId: 'pro' } });
  const { subscription, summary } = await tried.api.getSubscription();
  const trial = await trialOf(tried);
  expect(subscription.trials).toEqual([
    { id: trial.id, mcpId: 'pro', status: 'active', expiresAt: trial.endsAt, name: 'pro', isOffered: true },
  ]);
  expect(summary).toMatchObject({ totalSubscriptions: 0, totalTrials: 1 });
  await give(tried, 'rental', 'pro');
  const renting = await tried.api.getSubscription();
  expect(renting.subscription.trials, 'now it is rented').toEqual([]);
  expect(renting.summary).toMatchObject({ totalRentals: 1, totalTrials: 0 });
});

/** Returns the recorded trial of a user: one of the seven days that its server gives. */
async function trialOf({ userId }: Person) {
  const { rows } = await app.db.query<{ id: string; started_at: Date; period_ends_at: Date }>(
    `select id, started_at, period_ends_at from access_grants where user_id = $1 and kind = 'trial'`,
    [userId],
  );
  const [trial] = rows;
  if (!trial || rows.length > 1) throw new Error('there is no trial, or more than one');
  expect(trial.period_ends_at.getTime() - trial.started_at.getTime()).toBe(7 * dayMs);
  expect(Math.abs(Date.now() + aheadMs - trial.started_at.getTime())).toBeLessThan(minuteMs);
  return { id: trial.id, endsAt: trial.period_ends_at.toISOString() };
}

test('nothing of one user reaches another', async () => {
  const [one, other] = [await newPerson(app), await newPerson(app)];
  await give(one, 'purchase', 'pro');
  expect((await other.accessTo('pro')).accessType).toBe('none');
  expect((await other.api.getSubscription()).summary.totalPurchases).toBe(0);
});
