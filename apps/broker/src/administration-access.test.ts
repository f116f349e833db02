import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { checkLedger } from '#features/billing/index.ts';
import { startAdministration, type Administration } from '#testing/administration.ts';
import { waitUntil } from '#testing/wait-until.ts';

// What administrators give to people and take from them, and what the audit log keeps of it.

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

test('[USR-16] [USR-17] [USR-18] [USR-19] [USR-30] [USR-41] what an administrator adds is shown as theirs, ends by time and costs no money', async () => {
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
  await admin.addUserSubscription({ params, body: { type: 'purchase', mcpId: 'paid' } });
  expect(Date.parse(daily.endsAt ?? '') - Date.now() - shop.ahead.ms).toBeLessThanOrEqual(dayMs);

  expect(await ann.service('top')).toMatchObject({
    accessType: 'rental',
    features: ['A day on top'],
    expiresAt: daily.endsAt,
  });
  expect(await ann.plan()).toMatchObject({ id: added.id, mcpId: 'pro', source: 'administrator', status: 'active' });
  expect(await ann.rental()).toMatchObject({ id: daily.id, type: 'daily', source: 'administrator' });
  expect((await ann.api.getSubscription()).activeTiers).toEqual(['T0', 'T2']);
  expect(await ann.history()).toEqual([]);
  expect(await ann.credits()).toBe(0);

  const answer = await admin.getUserBilling({ params: { userId: ann.userId } });
  expect(answer.user).toMatchObject({ id: ann.userId, email: ann.email });
  const { subscriptions, rentals, purchases, trials, credits } = answer.billing;
  const given = { status: 'active', source: 'administrator', refund: null };
  expect(subscriptions).toEqual([
    {
      ...given,
      id: added.id,
      mcpId: 'pro',
      planName: 'Pro',
      type: 'subscription',
      currentPeriodStart: expect.any(String),
      currentPeriodEnd: added.endsAt,
      features: ['System subscription (pro)'],
    },
  ]);
  const span = { startDate: expect.any(String), endDate: daily.endsAt };
  expect(rentals).toEqual([
    { ...given, ...span, id: daily.id, mcpId: 'top', type: 'daily', features: ['A day on top'] },
  ]);
  expect(purchases).toMatchObject([{ ...given, mcpId: 'paid', type: 'purchase', endDate: null }]);
  expect(trials).toEqual([]);
  expect(credits).toEqual({ balance: 0, currency: 'USD', held: 0, debt: 0 });

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

  await shop.db.query(`update access_grants set period_ends_at = now() where id = $1`, [daily.id]);
  await shop.billing.access.announce(ann.userId);
  expect((await admin.getUserBilling({ params: { userId: ann.userId } })).billing.rentals).toEqual([]);
  expect(await ann.service('top')).toMatchObject({ accessType: 'purchase' });
});

test('[USR-38] what is added names a plan, or a deployed service, and a period that there is', async () => {
  const ann = await newPerson();
  const add = (body: object, userId = ann.userId) =>
    send(`POST /admin/users/${userId}/subscription`, administrator.accessToken, body);
  const rental = { type: 'rental', mcpId: 'top' };
  const refused: [object, number, string][] = [
    [{ type: 'rental' }, 400, 'invalid_request'],
    [{ ...rental, mcpId: ' ' }, 400, 'invalid_request'],
    [{ ...rental, mcpId: 'none' }, 404, 'not_found'],
    [{ ...rental, mcpId: '__proto__' }, 400, 'invalid_request'],
    [{ ...rental, period: 'yearly' }, 400, 'invalid_request'],
    [{ ...rental, features: ['a\u202Eb'] }, 400, 'invalid_request'],
    [{ ...rental, features: Array.from({ length: 21 }, () => 'x') }, 400, 'invalid_request'],
    [{ ...rental, type: 'gift' }, 400, 'invalid_request'],
    [{ type: 'subscription', mcpId: 'pro', period: 'daily' }, 400, 'invalid_request'],
    [{ type: 'subscription', mcpId: 'top' }, 404, 'plan_not_found'],
    [{ type: 'subscription', mcpId: 'free' }, 400, 'free_plan'],
  ];
  for (const [body, status, code] of refused)
    expect(await add(body), JSON.stringify(body)).toMatchObject({ status, code, success: false });
  expect(await add(rental, crypto.randomUUID())).toMatchObject({ status: 404, message: 'There is no such user' });
  expect(await add(rental, 'x')).toMatchObject({ status: 404 });
  const { billing } = await admin.getUserBilling({ params: { userId: ann.userId } });
  expect([billing.subscriptions, billing.rentals, billing.purchases]).toEqual([[], [], []]);
});

test('[USR-39] what is added needs no reason, and its audit row then has none', async () => {
  const ann = await newPerson();
  const rental = { type: 'rental', mcpId: 'top' } as const;
  await admin.addUserSubscription({ params: { id: ann.userId }, body: rental });
  expect(await audits(ann.userId)).toMatchObject([{ action: 'access.given', reason: null }]);
});

test('[USR-48] [USR-49] removing what a person pays for ends it now, cancels it at the provider, and pays nothing back', async () => {
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

  // while the provider does not answer, the access ends all the same, and the job tells the provider later
  await shop.network.stop();
  try {
    expect(await remove(plan?.id)).toMatchObject({ atProvider: 'pending' });
  } finally {
    await shop.network.resume();
  }
  expect(await ann.plan()).toBeUndefined();
  await waitUntil('the provider answers again', async () => {
    await shop.billing.payments?.subscriptions.endTakenAway();
    return (await shop.stripe.subscriptions.retrieve(planPayment)).status === 'canceled';
  });
  expect((await shop.stripe.refunds.list({})).data).toEqual([]);
  expect((await shop.db.query('select id from access_refunds')).rows, 'nor later').toEqual([]);
  expect((await ann.history()).filter((row) => row.includes('refund'))).toEqual([]);
});

test('[ADM-15] [USR-45] each action on a person leaves an audit row: who, what and why', async () => {
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

test('[ADM-14] what is given to and taken from a person takes a reason, which the audit log keeps', async () => {
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

test('[USR-42] what can be given to a person is what is deployed', async () => {
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
