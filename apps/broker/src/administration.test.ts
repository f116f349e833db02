import { adminBillingEndpoints } from '@souk/contract/admin-billing.ts';
import { adminManifestEndpoints } from '@souk/contract/admin-manifests.ts';
import { adminUserEndpoints } from '@souk/contract/admin-users.ts';
import { listMcpServices } from '@souk/contract/billing.ts';
import { createClient } from '@souk/contract/client.ts';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { checkLedger } from '#features/billing/index.ts';
import { manifest as parsedManifest, policy } from '#features/catalogue/testing/weather-server.ts';
import { startShop, type Shop } from '#features/billing/checkout/testing/shop.ts';
import { newSubscriber } from '#features/billing/subscriptions/testing/subscriber.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { connectModern } from '#testing/mcp-clients.ts';
import { fixtureTools, startHttpFixture, type HttpFixture } from '#testing/mcp-fixture.ts';
import { ScriptedBrowser } from '#testing/scripted-browser.ts';
import { waitUntil } from '#testing/wait-until.ts';

// What administrators do (specification part 2, section 7), through the API, with what people then see and may do.

let shop: Shop;
let fixture: HttpFixture;
/** Another server, and one that is down. */
let other: HttpFixture;
let gone: HttpFixture;
let administrator: { accessToken: string; userId: string; personalToken: string };
let admin: ReturnType<typeof apiOf>;

beforeAll(async () => {
  fixture = await startHttpFixture('both');
  other = await startHttpFixture('legacy');
  gone = await startHttpFixture('both');
  await gone.close();
  shop = await startShop({ allowAddresses: [fixture, other, gone].map(({ address }) => address) });
  const connection = { type: 'http', url: fixture.url };
  const rental = { price: 900 };
  await deployManifest(shop, { id: 'top', name: 'Summit', connection, billing: { tier: 'T3', rental } });
  await deployManifest(shop, { id: 'paid', name: 'Paid', connection, billing: { tier: 'T0', toolCosts: { echo: 3 } } });
  const email = 'admin@souk.test';
  const { accessToken } = await new ScriptedBrowser(shop.publicUrl).signInWeb({ email });
  const { token: personalToken } = await shop.identity.createPersonalToken({ email, name: 'test' });
  const [userId = ''] = await shop.identity.users.findIds(email);
  administrator = { accessToken, userId, personalToken };
  admin = apiOf(accessToken);
});
afterEach(async () => {
  const [fault] = await checkLedger(shop.db);
  if (fault) throw new Error(fault.fault);
});
afterAll(async () => {
  await shop?.stop();
  await fixture?.close();
  await other?.close();
});

function apiOf(accessToken: string) {
  const endpoints = [
    ...adminManifestEndpoints,
    ...adminUserEndpoints,
    ...adminBillingEndpoints,
    listMcpServices,
  ] as const;
  return createClient(endpoints, { baseUrl: shop.publicUrl, fetch, token: async () => accessToken });
}

/** A manifest that this installation takes. */
const manifest = (id: string, change: object = {}) => ({
  id,
  name: id,
  serviceType: 'mcp',
  version: '1.0.0',
  description: 'A server of a test.',
  category: 'data',
  connection: { type: 'http', url: fixture.url },
  ...change,
});

/** What a call answers, whoever sends it. A text is sent as it is. */
async function send(address: string, bearer: string | undefined, body?: unknown) {
  const [method = '', path = ''] = address.split(' ');
  const response = await fetch(`${shop.publicUrl}${path}`, {
    method,
    headers: {
      ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return { status: response.status, ...Object(await response.json()) };
}

/** Refused to everyone but an administrator in the web: a visitor, a signed-in person, an administrator's personal token. */
async function expectRefused(calls: readonly (readonly [string, object?])[], bearer: string): Promise<void> {
  for (const [address, body] of calls) {
    const denied = { status: 403, code: 'admin_required', message: 'Access denied. Admin privileges required.' };
    expect(await send(address, bearer, body), address).toMatchObject(denied);
    expect(await send(address, administrator.personalToken, body), address).toMatchObject(denied);
    expect(await send(address, undefined, body), address).toMatchObject({
      status: 401,
      message: 'Authentication required. Please log in.',
    });
  }
}

async function newPerson() {
  const person = await newSubscriber(shop);
  const { token } = await shop.identity.createPersonalToken({ email: person.email, name: 'test' });
  const own = apiOf(person.accessToken);
  return {
    ...person,
    token,
    /** Of their services, how they have one. */
    service: async (id: string) => {
      const { services } = await own.listMcpServices({ params: { userId: person.userId } });
      return services.find((one) => one.id === id)?.userAccess;
    },
    /** Names of the tools in their link. */
    async tools() {
      const client = await connectModern(`${shop.publicUrl}/mcp`, token);
      try {
        return (await client.listTools()).tools.map(({ name }) => name);
      } finally {
        await client.close();
      }
    },
    async call(name: string) {
      const client = await connectModern(`${shop.publicUrl}/mcp`, token);
      try {
        return await client.callTool({ name, arguments: { text: 'hi' } });
      } finally {
        await client.close();
      }
    },
  };
}

async function audits(subject: string) {
  const { rows } = await shop.db.query<{ actor_id: string; action: string; reason: string; details: object }>(
    'select actor_id, action, reason, details from audit_log where subject = $1 order by id',
    [subject],
  );
  return rows;
}

const dayMs = 86_400_000;

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
  await shop.identity.users.deactivate(bob.userId);
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
  await shop.identity.users.deactivate(bob.userId);
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

test('[USR-20] [USR-22] [USR-24] [USR-26] [USR-27] [USR-28] [USR-29] credits are set to a whole number, with its reason in the ledger', async () => {
  const ann = await newPerson();
  const params = { id: ann.userId };
  const set = (body: unknown) => send(`PUT /admin/users/${ann.userId}/credits`, administrator.accessToken, body);
  expect(await set({ credits: 40, reason: 'a gift' })).toEqual({ status: 200, success: true, credits: 40, change: 40 });
  for (const credits of [-1, 1.5, 1e308, 1e12, '7', null, undefined])
    expect(await set({ credits }), String(credits)).toMatchObject({ status: 400, success: false });
  expect(await set({ credits: 1, reason: 'x'.repeat(501) })).toMatchObject({ status: 400 });
  expect(await ann.credits()).toBe(40);
  // two administrators saw 40: one of them sets it
  const sets = await Promise.all([5, 6, 7].map((credits) => set({ credits, expectedBalance: 40 })));
  expect(sets.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
  const balance = sets.find(({ status }) => status === 200)?.credits;
  expect(sets.find(({ status }) => status === 409)).toMatchObject({
    code: 'balance_moved',
    message: `The balance is ${balance} now.`,
  });
  expect((await ann.api.getSubscription()).credits).toMatchObject({
    balance,
    parts: [{ source: 'promotional', credits: balance }],
  });
  await admin.setUserCredits({ params, body: { credits: 0 } });
  const { rows } = await shop.db.query(
    'select delta, contra, reason from ledger_entries where user_id = $1 order by id',
    [ann.userId],
  );
  expect(rows).toEqual([
    { delta: 40, contra: 'adjustment', reason: 'a gift' },
    { delta: balance - 40, contra: 'adjustment', reason: null },
    { delta: -balance, contra: 'adjustment', reason: null },
  ]);
  expect(
    await send(`PUT /admin/users/${crypto.randomUUID()}/credits`, administrator.accessToken, { credits: 1 }),
  ).toMatchObject({ status: 404, message: 'There is no such user' });
});

test('[USR-16] [USR-17] [USR-18] [USR-19] [USR-30] [USR-41] what an administrator adds is shown as theirs, ends by time and is charged to nobody', async () => {
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
  const given = { status: 'active', source: 'administrator' };
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

const upload = (body: unknown) => send('POST /admin/manifests', administrator.accessToken, body);

test('[GEN-7] [ADM-15] [MAN-25] [MAN-26] [MAN-28] [MAN-29] [MAN-30] [MAN-33] [MAN-34] [MAN-37] [MAN-38] only an administrator stages, deploys, changes and deletes a manifest', async () => {
  const ann = await newPerson();
  await expectRefused(
    [
      ['GET /admin/manifests'],
      ['GET /admin/manifests/top'],
      ['POST /admin/manifests', manifest('lens')],
      ['PUT /admin/manifests/top', manifest('top', { version: '2.0.0' })],
      ['DELETE /admin/manifests/top'],
      ['POST /admin/manifests/top/deploy', {}],
      ['POST /admin/manifests/reload'],
      ['POST /admin/manifests/deploy-all'],
    ],
    ann.accessToken,
  );
  const params = { id: 'lens' };
  await expect(admin.getManifest({ params, query: {} })).rejects.toMatchObject({ status: 404 });

  // staged, it is not live; deployed, its tools are in people's links
  expect(await upload(manifest('lens'))).toEqual({
    status: 200,
    success: true,
    id: 'lens',
    version: '1.0.0',
    result: 'staged',
  });
  expect(await ann.tools()).not.toContain('lens__echo');
  expect(await admin.deployManifest({ params, body: {} })).toMatchObject({
    version: '1.0.0',
    result: 'deployed',
    manifest: { isActive: true, status: 'connected', capabilities: { tools: expect.any(Number) } },
  });
  expect(await ann.tools()).toContain('lens__echo');

  // the deployed version stays until the next deployment
  const put = (body: object) => send('PUT /admin/manifests/lens', administrator.accessToken, body);
  expect(await put(manifest('lens', { version: '2.0.0', name: 'Lens' }))).toMatchObject({ result: 'staged' });
  const stored = await admin.getManifest({ params, query: {} });
  expect(stored).toMatchObject({
    manifest: { version: '2.0.0', name: 'Lens' },
    listed: { version: '1.0.0', deployedVersion: '1.0.0', stagedVersion: '2.0.0' },
    changedFields: ['name', 'version'],
  });
  const live = () => shop.catalogue.snapshot().byId.get('lens')?.manifest.version;
  expect(live()).toBe('1.0.0');
  // without a body, as the specification has it
  expect(await send('POST /admin/manifests/lens/deploy', administrator.accessToken)).toMatchObject({
    version: '2.0.0',
  });
  expect(live()).toBe('2.0.0');
  expect((await admin.deployManifest({ params, body: { version: '1.0.0' } })).result).toBe('deployed');
  expect(live(), 'rolled back').toBe('1.0.0');
  expect(await admin.getManifest({ params, query: { version: '2.0.0' } })).toMatchObject({
    manifest: { name: 'Lens' },
  });

  expect(await send('DELETE /admin/manifests/lens', administrator.accessToken)).toMatchObject({
    status: 200,
    id: 'lens',
  });
  expect(await ann.tools()).not.toContain('lens__echo');
  expect(await ann.call('lens__echo').catch((error: unknown) => error)).toMatchObject({ code: -32602 });
  const { listed, versions } = await admin.getManifest({ params, query: {} });
  expect(listed).toBeNull();
  expect(versions.map(({ version, status }) => `${version} ${status}`)).toEqual([
    '2.0.0 superseded',
    '1.0.0 superseded',
  ]);
  expect(await send('DELETE /admin/manifests/lens', administrator.accessToken)).toMatchObject({ status: 404 });

  // what was deleted comes back by another upload of the same
  expect(await upload(manifest('lens'))).toMatchObject({ result: 'staged' });
  expect(await upload(manifest('lens'))).toMatchObject({ result: 'unchanged' });
  await admin.deleteManifest({ params });
  const { rows } = await shop.db.query(
    'select actor_id, action, details from audit_log where subject = $1 order by id',
    ['lens'],
  );
  const row = { actor_id: administrator.userId };
  const via = 'administration';
  expect(rows).toEqual([
    { ...row, action: 'manifest.staged', details: { version: '1.0.0', via } },
    { ...row, action: 'manifest.deployed', details: { version: '1.0.0', via } },
    { ...row, action: 'manifest.staged', details: { version: '2.0.0', via } },
    { ...row, action: 'manifest.deployed', details: { version: '2.0.0', via, before: '1.0.0' } },
    { ...row, action: 'manifest.deployed', details: { version: '1.0.0', via, before: '2.0.0' } },
    { ...row, action: 'manifest.deleted', details: { deployed: '1.0.0', via } },
    { ...row, action: 'manifest.staged', details: { version: '1.0.0', via } },
    { ...row, action: 'manifest.deleted', details: { staged: '1.0.0', via } },
  ]);
});

test('[MAN-22] [MAN-40] what is no manifest, or is not allowed here, is refused with its field, and stages nothing', async () => {
  const fields = '"name":"x","serviceType":"mcp","version":"1.0.0","description":"x","category":"data"';
  const connection = `"connection":{"type":"http","url":"${fixture.url}"}`;
  const invalid = { status: 400, code: 'manifest_invalid' };
  const missing = 'Invalid manifest: Missing required fields (id, name, serviceType)';
  const refused: [string, object][] = [
    ['', { status: 400, message: 'Please enter a manifest JSON or upload a file' }],
    ['{"id": "bad", ', { status: 400, message: 'Invalid JSON format. Please check your manifest syntax.' }],
    ['{}', { ...invalid, message: missing }],
    ['[]', invalid],
    [`{"id":"../../x",${fields},${connection}}`, { ...invalid, issues: [{ path: 'id' }] }],
    [`{"id":"bad","__proto__":{"x":1},${fields},${connection}}`, { ...invalid, issues: [{ path: '__proto__' }] }],
    [
      `{"id":"bad","id":"worse",${fields},${connection}}`,
      { ...invalid, issues: [{ path: 'id', message: 'is a duplicate key' }] },
    ],
    [`\uFEFF{"id":"bad",${fields},${connection}}`, { ...invalid, issues: [{ path: '' }] }],
    [`{"id":"b\\u0000ad",${fields},${connection}}`, invalid],
    ['['.repeat(100_000), invalid],
    [JSON.stringify(manifest('bad', { id: 'io.github.owner/name' })), { ...invalid, issues: [{ path: 'id' }] }],
    [JSON.stringify(manifest('bad', { id: 'health' })), { ...invalid, issues: [{ path: 'id' }] }],
    [
      JSON.stringify(manifest('bad', { connection: { type: 'http', url: 'http://2130706433/' } })),
      { status: 400, code: 'url_not_allowed', issues: [{ path: 'connection.url' }] },
    ],
    [
      JSON.stringify(manifest('bad', { connection: { type: 'stdio', command: '/bin/sh' } })),
      { status: 400, code: 'command_not_allowed', issues: [{ path: 'connection.command' }] },
    ],
    [JSON.stringify(manifest('bad', { description: 'x'.repeat(300_000) })), { status: 413, code: 'payload_too_large' }],
  ];
  for (const [text, answer] of refused) expect(await upload(text), text.slice(0, 80)).toMatchObject(answer);
  const put = (id: string, body: object) => send(`PUT /admin/manifests/${id}`, administrator.accessToken, body);
  expect(await put('none', manifest('none'))).toMatchObject({ status: 404 });
  expect(await put('top', manifest('bad'))).toMatchObject({ status: 400, issues: [{ path: 'id' }] });
  expect(await send('POST /admin/manifests/none/deploy', administrator.accessToken, {})).toMatchObject({ status: 404 });
  expect(await send('POST /admin/manifests/top/deploy', administrator.accessToken, { version: '9' })).toMatchObject({
    status: 404,
  });

  // the same version with other content
  await upload(manifest('twice'));
  expect(await upload(manifest('twice', { description: 'Another one.' }))).toMatchObject({
    status: 409,
    code: 'manifest_conflict',
    message: 'Version 1.0.0 of twice exists with other content (description): raise the version',
  });
  const { manifests } = await admin.listManifests();
  expect(manifests.map(({ id }) => id)).toEqual(['paid', 'top', 'twice']);
  await admin.deleteManifest({ params: { id: 'twice' } });
});

test('[MAN-18] [MAN-24] [MAN-31] [MAN-32] [MAN-35] [MAN-36] everything staged is deployed at once, and what is deployed is asked again', async () => {
  await upload(manifest('one', { author: 'Ann', registryName: 'io.github.ann/one' }));
  await deployManifest(shop, manifest('two', { connection: { type: 'http', url: other.url } }));
  await deployManifest(shop, manifest('down', { connection: { type: 'http', url: gone.url } }), 'disconnected');
  // staged when this installation allowed it
  const then = { ...policy, stdioAliases: new Set(['nothing']) };
  const connection = { type: 'stdio', command: 'nothing' };
  await shop.catalogue.upload(parsedManifest('forbidden', { connection }, then), { via: 'command' });
  const refusal = 'connection.command: "nothing" is not on this installation\'s allow-list of commands';
  expect(await admin.deployAllManifests()).toEqual({
    success: true,
    deployed: 1,
    failed: 1,
    errors: [{ id: 'forbidden', message: `Failed to deploy manifest: ${refusal}` }],
  });
  await expect(admin.deployManifest({ params: { id: 'forbidden' }, body: {} })).rejects.toMatchObject({
    code: 'command_not_allowed',
  });
  await waitUntil('it was asked', () => shop.catalogue.snapshot().byId.get('one')?.status === 'connected');
  const { manifests } = await admin.listManifests();
  expect(manifests.find(({ id }) => id === 'one')).toEqual({
    id: 'one',
    name: 'one',
    serviceType: 'mcp',
    version: '1.0.0',
    author: 'Ann',
    description: 'A server of a test.',
    isActive: true,
    connection: { type: 'http', url: fixture.url },
    capabilities: { tools: expect.any(Number), prompts: expect.any(Number), resources: expect.any(Number) },
    deployedVersion: '1.0.0',
    stagedVersion: null,
    status: 'connected',
    toolsUnderReview: 0,
    registryName: 'io.github.ann/one',
  });

  // each is asked again through a new connection, at most once in 10 s
  const opened = () => other.seen.requests.filter(({ method }) => method === 'initialize').length;
  const openedBefore = opened();
  shop.ahead.ms += 10_000;
  expect(await admin.reloadManifests()).toEqual({
    success: true,
    reloadedCount: shop.catalogue.snapshot().servers.length - 1,
    errors: [{ id: 'down', message: expect.stringContaining('ECONNREFUSED') }],
  });
  expect(opened()).toBeGreaterThan(openedBefore);
  const two = async () => (await admin.listManifests()).manifests.find(({ id }) => id === 'two');
  other.offerTools([...fixtureTools, { name: 'more', inputSchema: { type: 'object' } }]);
  shop.ahead.ms += 10_000;
  await admin.reloadManifests();
  expect(await two()).toMatchObject({ toolsUnderReview: 1 });
  // so soon that no server is asked, what is stored is read again
  await shop.db.query(
    `update manifest_versions set body = (body::jsonb || '{"name":"Zwei"}')::json where server_id = 'two'`,
  );
  await admin.reloadManifests();
  expect(await two()).toMatchObject({ name: 'Zwei' });
  expect(await audits('manifests')).toMatchObject([
    {
      actor_id: administrator.userId,
      action: 'manifests.deployed',
      details: { deployed: ['one'], failed: ['forbidden'] },
    },
    { actor_id: administrator.userId, action: 'manifests.reloaded', details: { failed: 1 } },
    { action: 'manifests.reloaded' },
    { action: 'manifests.reloaded' },
  ]);
  for (const id of ['one', 'two', 'down', 'forbidden']) await admin.deleteManifest({ params: { id } });
});

test('[MAN-27] [MAN-39] the payment provider is told of a rental when its manifest is staged, and sells the old price until the new one is deployed', async () => {
  const priced = (version: string, price: number) =>
    upload(manifest('rented', { version, billing: { tier: 'T1', rental: { price } } }));
  const params = { id: 'rented' };
  const first = await priced('1.0.0', 500);
  expect(first.stripeResult).toMatchObject({ productId: 'souk_rental_rented', priceId: expect.any(String) });
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

  // a provider that does not answer keeps no manifest back
  await shop.network.stop();
  try {
    expect(await priced('1.2.0', 800)).toMatchObject({ status: 200, result: 'staged' });
  } finally {
    await shop.network.resume();
  }
  await admin.deleteManifest({ params });
});
