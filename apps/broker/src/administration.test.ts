import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { checkLedger } from '#features/billing/index.ts';
import { startAdministration, type Administration } from '#testing/administration.ts';
import { waitUntil } from '#testing/wait-until.ts';

// What administrators do with people (specification part 2, section 7), with what these then see and may do.

let shop: Administration['shop'];
let administrator: Administration['administrator'];
let admin: Administration['admin'];
let send: Administration['send'];
let expectRefused: Administration['expectRefused'];
let newPerson: Administration['newPerson'];
let audits: Administration['audits'];
let started: Administration | undefined;

beforeAll(async () => {
  started = await startAdministration();
  ({ shop, administrator, admin, send, expectRefused, newPerson, audits } = started);
});
afterEach(async () => {
  const [fault] = await checkLedger(shop.db);
  if (fault) throw new Error(fault.fault);
});
afterAll(() => started?.stop());

const dayMs = 86_400_000;

const deactivate = (id: string) => admin.deactivateUser({ params: { id }, body: {} });

test('[GEN-8] [ADM-9] [ADM-10] only an administrator lists users, sees their billing, sets credits, adds and removes access', async () => {
  const ann = await newPerson();
  const params = { id: ann.userId };
  const rental = { mcpId: 'top', type: 'rental', period: 'weekly' } as const;
  await expectRefused(
    [
      ['GET /admin/users'],
      ['GET /admin/dashboard/stats'],
      [`GET /admin/billing/users/${ann.userId}`],
      [`PUT /admin/users/${ann.userId}/credits`, { credits: 10 }],
      [`POST /admin/users/${ann.userId}/subscription`, rental],
      [`DELETE /admin/users/${ann.userId}/subscription/${crypto.randomUUID()}`, {}],
    ],
    ann.accessToken,
  );
  expect(await ann.credits()).toBe(0);

  const { users } = await admin.listUsers({ query: {} });
  expect(users.find(({ id }) => id === ann.userId)).toMatchObject({ email: ann.email, role: 'user', isActive: true });

  // credits that were set are spent by a call
  expect(await ann.call('paid__echo')).toMatchObject({ isError: true });
  expect(await admin.setUserCredits({ params, body: { credits: 10, reason: 'a gift' } })).toMatchObject({ change: 10 });
  expect(await ann.call('paid__echo')).toMatchObject({ content: [{ text: 'hi' }] });
  await shop.billing.ledger.flush();
  expect(await ann.credits()).toBe(7);

  // what was added gives access, and what was removed refuses the call
  expect(await ann.call('top__echo')).toMatchObject({ isError: true });
  const { id: subscriptionId } = await admin.addUserSubscription({ params, body: rental });
  expect(await ann.call('top__echo')).toMatchObject({ content: [{ text: 'hi' }] });
  const { billing } = await admin.getUserBilling({ params: { userId: ann.userId } });
  expect(billing).toMatchObject({ rentals: [{ id: subscriptionId, mcpId: 'top' }], credits: { balance: 7 } });
  await admin.removeUserSubscription({ params: { ...params, subscriptionId }, body: {} });
  expect(await ann.call('top__echo')).toMatchObject({ isError: true });
});

test('[ADM-11] the role of a record is only shown: it grants nothing, and no call takes one', async () => {
  const ann = await newPerson();
  const { users } = await admin.listUsers({ query: { limit: 100 } });
  const roleOf = (userId: string) => users.find(({ id }) => id === userId)?.role;
  expect([roleOf(administrator.userId), roleOf(ann.userId)]).toEqual(['admin', 'user']);
  // whose record says admin is refused all the same where they do not sign in as one
  expect(await send('GET /admin/users', administrator.personalToken)).toMatchObject({ status: 403 });
  const credits = `PUT /admin/users/${ann.userId}/credits`;
  expect(await send(credits, administrator.accessToken, { credits: 1, role: 'admin' })).toMatchObject({ status: 400 });
  expect(await send('GET /admin/users', ann.accessToken)).toMatchObject({ status: 403 });
});

test('security row 33: a call that only administrators may send leaves a row of who tried it, at most 20 a day', async () => {
  const ann = await newPerson();
  const address = `PUT /admin/users/${ann.userId}/credits`;
  for (let count = 0; count < 25; count += 1)
    expect(await send(address, ann.accessToken, { credits: 10 })).toMatchObject({ status: 403 });
  const { rows } = await shop.db.query<{ action: string; details: object; subject: string }>(
    `select action, subject, details from audit_log where actor_id = $1 or subject = $2 order by id`,
    [ann.userId, ann.userId],
  );
  expect(rows[0]).toEqual({
    action: 'administration.refused',
    subject: 'PUT /admin/users/:id/credits',
    details: { token: 'web' },
  });
  expect(rows.map(({ action }) => action)).toEqual([
    ...Array.from({ length: 19 }, () => 'administration.refused'),
    'audit.limit-reached',
  ]);
  expect(await ann.credits()).toBe(0);
});

test('[ADM-16] the figures of the dashboard count users, servers and what people have', async () => {
  const ann = await newPerson();
  const { stats: before } = await admin.getAdminStats();
  expect(before.servers).toEqual({ deployed: 2, connected: 2, down: 0 });
  const params = { id: ann.userId };
  await admin.addUserSubscription({ params, body: { type: 'purchase', mcpId: 'top' } });
  await admin.addUserSubscription({ params, body: { type: 'subscription', mcpId: 'basic' } });
  const bob = await newPerson();
  await deactivate(bob.userId);
  const { stats } = await admin.getAdminStats();
  const { users, access } = before;
  expect(stats).toEqual({
    users: { total: users.total + 1, active: users.active },
    servers: before.servers,
    access: { ...access, purchases: access.purchases + 1, subscriptions: access.subscriptions + 1 },
  });
});

test('[USR-9] [USR-10] users come by pages, the newest first, with deactivated ones and without deleted ones', async () => {
  const [ann, bob, gone] = [await newPerson(), await newPerson(), await newPerson()];
  await deactivate(bob.userId);
  await send(`DELETE /api/users/${gone.userId}/account`, gone.accessToken, { confirm: gone.email });
  const first = await admin.listUsers({ query: { page: 1, limit: 2 } });
  expect(first.users).toMatchObject([
    { id: bob.userId, isActive: false },
    {
      id: ann.userId,
      email: ann.email,
      username: null,
      provider: 'dev',
      oauthConnections: {},
      isActive: true,
      lastLoginAt: expect.any(String),
    },
  ]);
  const { total, pages } = first.pagination;
  expect(first.pagination).toEqual({ page: 1, limit: 2, total, pages: Math.ceil(total / 2) });
  expect(first.active).toBeLessThan(total);
  const seen: string[] = [];
  for (let page = 1; page <= pages; page += 1)
    seen.push(...(await admin.listUsers({ query: { page, limit: 2 } })).users.map(({ id }) => id));
  expect(new Set(seen).size).toBe(total);
  expect(seen).toHaveLength(total);
  expect(seen).not.toContain(gone.userId);
  expect((await admin.listUsers({ query: { page: pages + 1, limit: 2 } })).users).toEqual([]);
  expect((await admin.listUsers({ query: {} })).pagination.limit).toBe(20);
  for (const query of ['page=0', 'page=x', 'limit=101', 'limit=0', 'page=1e99'])
    expect(await send(`GET /admin/users?${query}`, administrator.accessToken), query).toMatchObject({ status: 400 });
});

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
