import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { checkLedger } from '#features/billing/index.ts';
import { startAdministration, type Administration } from '#testing/administration.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';

// What administrators do with users (specification part 2, section 7), and what users then see and may do.

let shop: Administration['shop'];
let administrator: Administration['administrator'];
let admin: Administration['admin'];
let send: Administration['send'];
let expectRefused: Administration['expectRefused'];
let newPerson: Administration['newPerson'];
let manifest: Administration['manifest'];
let gone: Administration['gone'];
let started: Administration | undefined;

beforeAll(async () => {
  started = await startAdministration();
  ({ shop, administrator, admin, send, expectRefused, newPerson, manifest, gone } = started);
});
afterEach(async () => {
  const [fault] = await checkLedger(shop.db);
  if (fault) throw new Error(fault.fault);
});
afterAll(() => started?.stop());

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

  // an added item gives access, and a removed one does not
  expect(await ann.call('top__echo')).toMatchObject({ isError: true });
  const { id: subscriptionId } = await admin.addUserSubscription({ params, body: rental });
  expect(await ann.call('top__echo')).toMatchObject({ content: [{ text: 'hi' }] });
  const { billing } = await admin.getUserBilling({ params: { userId: ann.userId } });
  expect(billing).toMatchObject({ rentals: [{ id: subscriptionId, mcpId: 'top' }], credits: { balance: 7 } });
  await admin.removeUserSubscription({ params: { ...params, subscriptionId }, body: {} });
  expect(await ann.call('top__echo')).toMatchObject({ isError: true });
});

test('[ADM-11] the role in a record is only shown: it grants nothing, and no call accepts one', async () => {
  const ann = await newPerson();
  const { users } = await admin.listUsers({ query: { limit: 100 } });
  const roleOf = (userId: string) => users.find(({ id }) => id === userId)?.role;
  expect([roleOf(administrator.userId), roleOf(ann.userId)]).toEqual(['admin', 'user']);
  // an administrator is refused if they did not sign in as one
  expect(await send('GET /admin/users', administrator.personalToken)).toMatchObject({ status: 403 });
  const credits = `PUT /admin/users/${ann.userId}/credits`;
  expect(await send(credits, administrator.accessToken, { credits: 1, role: 'admin' })).toMatchObject({ status: 400 });
  expect(await send('GET /admin/users', ann.accessToken)).toMatchObject({ status: 403 });
});

test('security row 33: a refused call for administrators leaves a row with its sender, at most 20 a day', async () => {
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

test("[ADM-16] the figures of the dashboard count users, servers and the users' items", async () => {
  const [ann, cleo] = [await newPerson(), await newPerson()];
  const { stats: before } = await admin.getAdminStats();
  expect(before.servers).toEqual({ deployed: 2, connected: 2, down: 0 });
  await deployManifest(shop, manifest('away', { connection: { type: 'http', url: gone.url } }), 'disconnected');
  const params = { id: ann.userId };
  const rental = { type: 'rental', mcpId: 'top', period: 'weekly' } as const;
  await admin.addUserSubscription({ params: { id: cleo.userId }, body: rental });
  await admin.addUserSubscription({ params, body: { type: 'purchase', mcpId: 'top' } });
  await admin.addUserSubscription({ params, body: { type: 'subscription', mcpId: 'basic' } });
  const bob = await newPerson();
  await deactivate(bob.userId);
  const { stats } = await admin.getAdminStats();
  const { users, access } = before;
  expect(stats).toEqual({
    users: { total: users.total + 1, active: users.active },
    servers: { deployed: 3, connected: 2, down: 1 },
    access: {
      ...access,
      purchases: access.purchases + 1,
      rentals: access.rentals + 1,
      subscriptions: access.subscriptions + 1,
    },
  });
  await admin.deleteManifest({ params: { id: 'away' }, body: {} });
});

test('[USR-9] [USR-10] users are listed by page, the newest first, with deactivated ones and without deleted ones', async () => {
  const [ann, bob, gone] = [await newPerson(), await newPerson(), await newPerson()];
  await deactivate(bob.userId);
  await send(`DELETE /api/users/${gone.userId}/account`, gone.accessToken, { confirm: gone.email });
  await new ScriptedBrowser(shop.publicUrl).signInWeb({ email: ann.email });
  const { rows } = await shop.db.query<{ created_at: Date; last_login_at: Date }>(
    'select created_at, last_login_at from users where id = $1',
    [ann.userId],
  );
  const [written] = rows;
  expect(Math.abs(Date.now() - (written?.last_login_at.getTime() ?? 0))).toBeLessThan(60_000);
  expect(written?.last_login_at.getTime()).toBeGreaterThan(written?.created_at.getTime() ?? Infinity);
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
      displayName: ann.email.split('@')[0],
      role: 'user',
      createdAt: written?.created_at.toISOString(),
      lastLoginAt: written?.last_login_at.toISOString(),
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
