import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { checkLedger } from '#features/billing/index.ts';
import { startAdministration, type Administration } from '#testing/administration.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { waitUntil } from '#testing/wait-until.ts';

let shop: Administration['shop'];
let manifest: Administration['manifest'];
let administrator: Administration['administrator'];
let admin: Administration['admin'];
let send: Administration['send'];
let newPerson: Administration['newPerson'];
let audits: Administration['audits'];
let started: Administration | undefined;

beforeAll(async () => {
  started = await startAdministration();
  ({ shop, manifest, administrator, admin, send, newPerson, audits } = started);
});
afterEach(async () => {
  const [fault] = await checkLedger(shop.db);
  if (fault) throw new Error(fault.fault);
});
afterAll(() => started?.stop());

const dayMs = 86_400_000;
const stage = (body: object) => send('POST /admin/manifests', administrator.accessToken, body);

/** Returns the recorded start and end of a user's items, by id, and the user's account. */
async function writtenOf(userId: string) {
  const { rows } = await shop.db.query<{ id: string; started_at: Date; period_ends_at: Date | null }>(
    `select id, started_at, period_ends_at from subscriptions where user_id = $1
     union all select id, started_at, period_ends_at from access_grants where user_id = $1`,
    [userId],
  );
  const { rows: users } = await shop.db.query<{ display_name: string; created_at: Date }>(
    'select display_name, created_at from users where id = $1',
    [userId],
  );
  const [user] = users;
  if (!user) throw new Error('there is no such user');
  const spans = rows.map(({ id, started_at: begins, period_ends_at: ends }) => {
    return [id, { begins: begins.toISOString(), ends: ends?.toISOString() ?? null }] as const;
  });
  return { user, spanOf: (id: string) => Object.fromEntries(spans)[id] };
}

/** Expects the current time of the shop, with some tolerance. */
function expectNow(time: string | undefined) {
  expect(Math.abs(Date.parse(time ?? '') - Date.now() - shop.ahead.ms)).toBeLessThan(60_000);
}

/** Creates a user to whom an administrator added a plan, a rental of a day and a purchase. */
async function newOwner() {
  const ann = await newPerson();
  const params = { id: ann.userId };
  const subscription = {
    type: 'subscription',
    mcpId: 'pro',
    period: 'monthly',
    features: ['System subscription (pro)'],
  };
  const added = await send(`POST /admin/users/${ann.userId}/subscription`, administrator.accessToken, subscription);
  expect(added).toMatchObject({ status: 200, success: true });
  const daily = await admin.addUserSubscription({
    params,
    body: { type: 'rental', mcpId: 'top', period: 'daily', features: ['A day on top'] },
  });
  const bought = await admin.addUserSubscription({ params, body: { type: 'purchase', mcpId: 'paid' } });
  return { ann, added, daily, bought, ...(await writtenOf(ann.userId)) };
}

test('[USR-30] the call accepts service or plan, type, period, features and reason, and stores each of them', async () => {
  const ann = await newPerson();
  const add = (body: object) => send(`POST /admin/users/${ann.userId}/subscription`, administrator.accessToken, body);
  const sent = {
    mcpId: 'top',
    type: 'rental',
    period: 'weekly',
    features: ['A week on top', 'With a guide'],
    reason: 'A friend of the house',
  };
  const rented = await add(sent);
  expect(rented).toMatchObject({ status: 200, success: true });
  const bought = await add({ mcpId: 'paid', type: 'purchase', features: ['For good'], reason: 'A prize' });
  const plan = await add({
    mcpId: 'basic',
    type: 'subscription',
    period: 'monthly',
    features: ['System subscription (basic)'],
    reason: 'For the talk',
  });
  const { billing } = await admin.getUserBilling({ params: { userId: ann.userId } });
  const { mcpId, period, features } = sent;
  expect(billing.rentals).toMatchObject([{ id: rented.id, mcpId, type: period, features }]);
  expect(Date.parse(rented.endsAt) - Date.parse(billing.rentals[0]?.startDate ?? '')).toBe(7 * dayMs);
  expect(billing.purchases).toMatchObject([{ id: bought.id, mcpId: 'paid', type: 'purchase', features: ['For good'] }]);
  expect(billing.subscriptions).toMatchObject([{ id: plan.id, mcpId: 'basic', type: 'subscription' }]);
  const given = (id: string, type: string, of: string, reason: string) => ({
    actor_id: administrator.userId,
    action: 'access.given',
    reason,
    details: { id, type, of },
  });
  expect(await audits(ann.userId)).toMatchObject([
    given(rented.id, 'rental', 'top', 'A friend of the house'),
    given(bought.id, 'purchase', 'paid', 'A prize'),
    given(plan.id, 'subscription', 'basic', 'For the talk'),
  ]);
});

test.each(['basic', 'pro'] as const)(
  '[USR-41] a subscription that is added without features has those of its plan: %s',
  async (mcpId) => {
    const ann = await newPerson();
    const body = { type: 'subscription', mcpId } as const;
    await admin.addUserSubscription({ params: { id: ann.userId }, body });
    const features = [`System subscription (${mcpId})`];
    const { billing } = await admin.getUserBilling({ params: { userId: ann.userId } });
    expect(billing.subscriptions).toMatchObject([{ mcpId, features }]);
  },
);

test('an item that an administrator adds is usable immediately, and costs no money', async () => {
  const { ann, added, daily } = await newOwner();
  expect(await ann.service('top')).toMatchObject({
    accessType: 'rental',
    features: ['A day on top'],
    expiresAt: daily.endsAt,
  });
  expect(await ann.plan()).toMatchObject({ id: added.id, mcpId: 'pro', source: 'administrator', status: 'active' });
  expect(await ann.rental()).toMatchObject({ id: daily.id, type: 'daily', source: 'administrator' });
  expect((await ann.api.getSubscription()).activeTiers).toEqual(['T0', 'T1', 'T2']);
  expect(await ann.history()).toEqual([]);
  expect(await ann.credits()).toBe(0);
});

test("[USR-16] [USR-17] [USR-18] [USR-19] each of a user's items is returned with its start, its end and its features", async () => {
  const { ann, added, daily, bought, user, spanOf } = await newOwner();
  const [planSpan, daySpan] = [spanOf(added.id), spanOf(daily.id)];
  expectNow(planSpan?.begins);
  expectNow(daySpan?.begins);
  expect(Date.parse(daily.endsAt ?? '') - Date.parse(daySpan?.begins ?? '')).toBe(dayMs);
  expect(planSpan?.ends).toBe(added.endsAt);

  const answer = await admin.getUserBilling({ params: { userId: ann.userId } });
  expectNow(user.created_at.toISOString());
  expect(answer.user).toEqual({
    id: ann.userId,
    email: ann.email,
    displayName: user.display_name,
    createdAt: user.created_at.toISOString(),
    isActive: true,
    role: 'user',
  });
  const given = { status: 'active', source: 'administrator', refund: null, charge: null, isDisputed: false };
  const span = { startDate: daySpan?.begins, endDate: daily.endsAt };
  expect(answer.billing).toEqual({
    subscriptions: [
      {
        ...given,
        id: added.id,
        mcpId: 'pro',
        planName: 'Pro',
        type: 'subscription',
        currentPeriodStart: planSpan?.begins,
        currentPeriodEnd: added.endsAt,
        features: ['System subscription (pro)'],
      },
    ],
    rentals: [
      { ...given, ...span, id: daily.id, mcpId: 'top', name: 'Summit', type: 'daily', features: ['A day on top'] },
    ],
    purchases: [
      {
        ...given,
        id: bought.id,
        mcpId: 'paid',
        name: 'Paid',
        type: 'purchase',
        startDate: spanOf(bought.id)?.begins,
        endDate: null,
        features: [],
      },
    ],
    trials: [],
    credits: { balance: 0, currency: 'USD', held: 0, debt: 0 },
  });
});

test('access that is added three times concurrently is added once', async () => {
  const ann = await newPerson();
  const again = await Promise.all(
    [1, 2, 3].map(() =>
      send(`POST /admin/users/${ann.userId}/subscription`, administrator.accessToken, {
        type: 'purchase',
        mcpId: 'top',
      }),
    ),
  );
  expect(again.map(({ status }) => status).toSorted(), 'clicked three times').toEqual([200, 409, 409]);
  expect(again.find(({ status }) => status === 409)).toMatchObject({ code: 'has_access' });
});

test('an item that an administrator added ends on time', async () => {
  const { ann, daily } = await newOwner();
  expect(await ann.service('top')).toMatchObject({ accessType: 'rental' });
  await shop.db.query(`update access_grants set period_ends_at = now() where id = $1`, [daily.id]);
  await shop.billing.access.announce(ann.userId);
  expect((await admin.getUserBilling({ params: { userId: ann.userId } })).billing.rentals).toEqual([]);
  expect(await ann.service('top')).toMatchObject({ accessType: 'none' });
});

test('[USR-17] a plan of months shows the current month', async () => {
  const ann = await newPerson();
  const params = { id: ann.userId };
  const { id } = await admin.addUserSubscription({ params, body: { type: 'subscription', mcpId: 'pro' } });
  const now = new Date(Date.now() + shop.ahead.ms);
  // a day that each month has
  const middle = (months: number) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 15)).toISOString();
  await shop.db.query('update subscriptions set started_at = $2, period_ends_at = $3 where id = $1', [
    id,
    middle(-3),
    middle(1),
  ]);
  const { billing } = await admin.getUserBilling({ params: { userId: ann.userId } });
  expect(billing.subscriptions).toMatchObject([{ id, currentPeriodStart: middle(0), currentPeriodEnd: middle(1) }]);
});

test('[USR-19] trials, and the credits that calls hold and those available, are shown as they are', async () => {
  const connection = { type: 'http', url: started?.fixture.url };
  await deployManifest(shop, { id: 'tried', connection, billing: { tier: 'T1', trialDays: 3 } });
  const ann = await newPerson();
  const address = 'POST /api/billing/trials';
  expect(await send(address, ann.accessToken, { mcpId: 'tried' })).toMatchObject({ status: 200 });
  await admin.setUserCredits({ params: { id: ann.userId }, body: { credits: 40 } });
  const call = { callId: crypto.randomUUID(), userId: ann.userId, serverId: 'paid', tool: 'echo', credits: 15 };
  const hold = await shop.billing.charges.hold(call);
  if (hold.kind !== 'hold') throw new Error('there is no hold');
  const { billing } = await admin.getUserBilling({ params: { userId: ann.userId } });
  hold.release('cancelled');
  expect(billing.credits).toEqual({ balance: 40, currency: 'USD', held: 15, debt: 0 });
  const [trial] = billing.trials;
  const span = (await writtenOf(ann.userId)).spanOf(trial?.id ?? '');
  expectNow(span?.begins);
  expect(Date.parse(span?.ends ?? '') - Date.parse(span?.begins ?? '')).toBe(3 * dayMs);
  expect(billing.trials).toEqual([
    {
      id: trial?.id,
      mcpId: 'tried',
      name: 'tried',
      type: 'trial',
      status: 'active',
      source: 'person',
      refund: null,
      charge: null,
      isDisputed: false,
      startDate: span?.begins,
      endDate: span?.ends,
      features: [],
    },
  ]);
});

test('[USR-38] an added item names a plan, or a deployed service, and an existing period', async () => {
  const ann = await newPerson();
  const add = (body: object, userId = ann.userId) =>
    send(`POST /admin/users/${userId}/subscription`, administrator.accessToken, body);
  const rental = { type: 'rental', mcpId: 'top' };
  const refused: [object, number, string][] = [
    [{ type: 'rental' }, 400, 'invalid_request'],
    [{ ...rental, mcpId: ' ' }, 400, 'invalid_request'],
    [{ ...rental, mcpId: 'none' }, 404, 'not_found'],
    [{ ...rental, mcpId: '__proto__' }, 404, 'not_found'],
    [{ ...rental, period: 'yearly' }, 400, 'invalid_request'],
    [{ ...rental, features: ['a\u202Eb'] }, 400, 'invalid_request'],
    [{ ...rental, features: ['System subscription (pro)'] }, 400, 'invalid_request'],
    [{ ...rental, type: 'purchase', features: [' system  subscription (anything)'] }, 400, 'invalid_request'],
    [{ ...rental, features: Array.from({ length: 21 }, () => 'x') }, 400, 'invalid_request'],
    [{ ...rental, type: 'gift' }, 400, 'invalid_request'],
    [{ type: 'subscription', mcpId: 'pro', period: 'daily' }, 400, 'invalid_request'],
    [{ type: 'subscription', mcpId: 'top' }, 404, 'plan_not_found'],
    [{ type: 'subscription', mcpId: 'free' }, 400, 'free_plan'],
  ];
  for (const [body, status, code] of refused)
    expect(await add(body), JSON.stringify(body)).toMatchObject({ status, code, success: false });
  expect(await add({ type: 'subscription', mcpId: 'Pro' })).toMatchObject({
    message: expect.stringMatching(/^There is no plan Pro\. The plans are: .*\bpro\b/),
  });
  expect(await add(rental, crypto.randomUUID())).toMatchObject({ status: 404, message: 'There is no such user' });
  expect(await add(rental, 'x')).toMatchObject({ status: 404 });
  const { billing } = await admin.getUserBilling({ params: { userId: ann.userId } });
  expect([billing.subscriptions, billing.rentals, billing.purchases]).toEqual([[], [], []]);
});

test('[USR-39] adding needs no reason, and the audit row then has none', async () => {
  const ann = await newPerson();
  const rental = { type: 'rental', mcpId: 'top' } as const;
  await admin.addUserSubscription({ params: { id: ann.userId }, body: rental });
  expect(await audits(ann.userId)).toMatchObject([{ action: 'access.given', reason: null }]);
});

test('[USR-48] [USR-49] removing a paid item ends it immediately, cancels it at the provider, and refunds nothing', async () => {
  const ann = await newPerson();
  const [rentalPayment, planPayment] = [await ann.rent('top'), await ann.subscribe('basic')];
  const [rental, plan] = [await ann.rental(), await ann.plan()];
  const remove = (subscriptionId = '', userId = ann.userId) =>
    admin.removeUserSubscription({ params: { id: userId, subscriptionId }, body: {} });
  const bob = await newPerson();
  await expect(remove(rental?.id, bob.userId)).rejects.toMatchObject({ status: 404 });
  await expect(remove('x')).rejects.toMatchObject({ status: 404 });
  expect(await remove(rental?.id)).toMatchObject({ atProvider: 'cancelled', message: 'The rental has ended.' });
  expect(await ann.rental()).toBeUndefined();
  expect(await ann.service('top')).toMatchObject({ accessType: 'none' });
  expect(await shop.stripe.subscriptions.retrieve(rentalPayment)).toMatchObject({ status: 'canceled' });
  await expect(remove(rental?.id)).rejects.toMatchObject({ status: 404 });

  // while the provider does not respond, the access ends anyway, and the job notifies the provider later
  await shop.network.stop();
  try {
    expect(await remove(plan?.id)).toMatchObject({ atProvider: 'pending' });
  } finally {
    await shop.network.resume();
  }
  expect(await ann.plan()).toBeUndefined();
  await waitUntil('the provider answers again', async () => {
    await shop.billing.payments?.subscriptions.endRevoked();
    return (await shop.stripe.subscriptions.retrieve(planPayment)).status === 'canceled';
  });
  expect((await shop.stripe.refunds.list({})).data).toEqual([]);
  expect((await shop.db.query('select id from access_refunds')).rows, 'nor later').toEqual([]);
  expect((await ann.history()).filter((row) => row.includes('refund'))).toEqual([]);
});

test('[ADM-15] [USR-45] each action on a user leaves an audit row: who, what and why', async () => {
  const ann = await newPerson();
  const params = { id: ann.userId };
  await admin.setUserCredits({ params, body: { credits: 5, reason: 'a gift' } });
  const rental = { type: 'rental', mcpId: 'top', period: 'monthly', reason: 'to try it' } as const;
  const { id, endsAt } = await admin.addUserSubscription({ params, body: rental });
  await admin.removeUserSubscription({ params: { ...params, subscriptionId: id }, body: {} });
  const plan = await admin.addUserSubscription({ params, body: { type: 'subscription', mcpId: 'pro', reason: ' ' } });
  const subscriptionId = plan.id;
  await admin.removeUserSubscription({ params: { ...params, subscriptionId }, body: { reason: 'by mistake' } });
  const row = { actor_id: administrator.userId };
  const about = { id, type: 'rental', of: 'top', sandbox: true };
  const ofPlan = { id: plan.id, type: 'subscription', of: 'pro', sandbox: true };
  expect(await audits(ann.userId)).toEqual([
    { ...row, action: 'credits.set', reason: 'a gift', details: { credits: 5, change: 5, sandbox: true } },
    { ...row, action: 'access.given', reason: 'to try it', details: { ...about, endsAt } },
    { ...row, action: 'access.removed', reason: 'Rental cancelled by admin', details: about },
    { ...row, action: 'access.given', reason: null, details: { ...ofPlan, endsAt: plan.endsAt } },
    { ...row, action: 'access.removed', reason: 'by mistake', details: ofPlan },
  ]);
});

test('[ADM-14] giving to and removing from a user accepts a reason, which the audit log keeps', async () => {
  const ann = await newPerson();
  const params = { id: ann.userId };
  await admin.setUserCredits({ params, body: { credits: 5, reason: 'a gift' } });
  const rental = { type: 'rental', mcpId: 'top', period: 'weekly', reason: 'a trial for a customer' } as const;
  const { id: subscriptionId } = await admin.addUserSubscription({ params, body: rental });
  await admin.removeUserSubscription({
    params: { ...params, subscriptionId },
    body: { reason: 'Rental cancelled by admin' },
  });
  expect((await audits(ann.userId)).map(({ reason }) => reason)).toEqual([
    'a gift',
    'a trial for a customer',
    'Rental cancelled by admin',
  ]);
  const long = 'x'.repeat(10_000);
  expect(
    await send(`PUT /admin/users/${ann.userId}/credits`, administrator.accessToken, { credits: 1, reason: long }),
  ).toMatchObject({ status: 400 });
});

test('[USR-42] only deployed services can be given to a user', async () => {
  const ann = await newPerson();
  const give = () => {
    const address = `POST /admin/users/${ann.userId}/subscription`;
    return send(address, administrator.accessToken, { type: 'rental', mcpId: 'later', period: 'weekly' });
  };
  const active = async () => {
    const { manifests } = await admin.listManifests({ query: { status: 'active', limit: 100 } });
    return manifests.map(({ id }) => id);
  };
  await stage(manifest('later', { billing: { tier: 'T1' } }));
  expect(await give()).toMatchObject({ status: 404 });
  expect(await active()).not.toContain('later');
  await admin.deployManifest({ params: { id: 'later' }, body: {} });
  expect(await active()).toEqual(
    shop.catalogue
      .snapshot()
      .servers.map(({ id }) => id)
      .toSorted(),
  );
  expect(await give()).toMatchObject({ status: 200 });
  await admin.deleteManifest({ params: { id: 'later' }, body: {} });
  expect(await give()).toMatchObject({ status: 404 });
});
