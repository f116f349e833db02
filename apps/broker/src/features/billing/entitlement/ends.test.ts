import { deleteMyAccount } from '@souk/contract/account.ts';
import { getRentalOptions, listMcpServices, startTrial } from '@souk/contract/billing/billing.ts';
import { createClient } from '@souk/contract/client.ts';
import { getUserProfile } from '@souk/contract/identity.ts';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { connectLegacy, connectModern } from '#testing/people/mcp-clients.ts';
import { startHttpFixture, type HttpFixture } from '#testing/servers/mcp-fixture.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { at, dayMs, give, givePlan, newPerson } from './testing/people.ts';

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
  await deployManifest(app, { id: 'basic', connection, billing: { tier: 'T1' } });
  const rental = { price: 900, currency: 'USD' };
  await deployManifest(app, { id: 'pro', connection, billing: { tier: 'T2', rental, trialDays: 7 } });
  await deployManifest(app, { id: 'other', connection, billing: { tier: 'T2', trialDays: 3 } });
});
beforeEach(() => (aheadMs = 0));
afterAll(async () => {
  await app?.stop();
  await fixture?.close();
});

test('a trial that an administrator removed is not offered again', async () => {
  const person = await newPerson(app);
  const offered = async () => (await person.api.getRentalOptions({ params: { mcpId: 'pro' } })).trialDays;
  const listed = async () => {
    const { services } = await person.api.listMcpServices({ params: { userId: person.userId } });
    return services.find(({ id }) => id === 'pro')?.trialDays;
  };
  expect([await offered(), await listed()]).toEqual([7, 7]);
  await person.api.startTrial({ body: { mcpId: 'pro' } });
  await app.db.query('update access_grants set ended_at = now() where user_id = $1', [person.userId]);
  expect((await person.accessTo('pro')).accessType).toBe('none');
  expect([await offered(), await listed()]).toEqual([null, null]);
  await expect(person.api.startTrial({ body: { mcpId: 'pro' } })).rejects.toMatchObject({ code: 'trial_used' });
});

test('an account that was deleted and created again does not get a second trial, also if the trial began before addresses were recorded', async () => {
  const endpoints = [getRentalOptions, listMcpServices, startTrial, deleteMyAccount, getUserProfile] as const;
  const signIn = async (email: string) => {
    const { accessToken } = await new ScriptedBrowser(app.publicUrl).signInWeb({ email });
    const api = createClient(endpoints, { baseUrl: app.publicUrl, fetch, token: async () => accessToken });
    const { id: userId } = await api.getUserProfile();
    return { api, userId, remove: () => api.deleteMyAccount({ params: { userId }, body: { confirm: email } }) };
  };
  for (const email of ['Again@souk.test', 'early@souk.test']) {
    const first = await signIn(email);
    await first.api.startTrial({ body: { mcpId: 'pro' } });
    if (email === 'early@souk.test') await app.db.query('delete from trial_addresses');
    await first.remove();
    const second = await signIn(email.toLowerCase());
    expect(second.userId).not.toBe(first.userId);
    const { trialDays, isTrialUsed, access } = await second.api.getRentalOptions({ params: { mcpId: 'pro' } });
    expect({ trialDays, isTrialUsed, access: access.accessType }).toEqual({
      trialDays: null,
      isTrialUsed: true,
      access: 'none',
    });
    const { services } = await second.api.listMcpServices({ params: { userId: second.userId } });
    expect(services.find(({ id }) => id === 'pro')?.trialDays).toBeNull();
    await expect(second.api.startTrial({ body: { mcpId: 'pro' } })).rejects.toMatchObject({
      code: 'trial_used',
      message: 'Your e-mail address has had the trial of pro. Each address gets it once.',
    });
    // the trial of another server is still available
    expect((await second.api.getRentalOptions({ params: { mcpId: 'other' } })).trialDays).toBe(3);
  }
  const { rows } = await app.db.query<{ row: string }>('select t::text as row from trial_addresses t');
  for (const { row } of rows) expect(row).toMatch(/^\([\w-]{43},f,pro\)$/);
});

test('a trial ends on time, also while a client stays connected', async () => {
  const person = await newPerson(app);
  await person.api.startTrial({ body: { mcpId: 'pro' } });
  const client = await connectModern(`${app.publicUrl}/mcp`, person.token);
  const call = () => client.callTool({ name: 'pro__echo', arguments: { text: 'mine' } });
  aheadMs = 7 * dayMs - 60_000;
  expect((await call()).isError).toBeFalsy();
  aheadMs = 7 * dayMs + 1_000;
  expect(await call()).toMatchObject({ isError: true, _meta: { 'souk/code': 'not_included' } });
  await client.close();
});

test("a user's clients are notified that something has ended, and other users' clients are not", async () => {
  const [person, other] = [await newPerson(app), await newPerson(app)];
  await person.api.startTrial({ body: { mcpId: 'pro' } });
  const heard: string[] = [];
  const clients = await Promise.all([person, other].map(({ token }) => connectLegacy(`${app.publicUrl}/mcp`, token)));
  for (const [index, client] of clients.entries()) client.onNotice((method) => heard.push(`${index} ${method}`));
  await app.billing.access.notifyOfEnds();
  expect(heard).toEqual([]);
  aheadMs = 7 * dayMs + 1_000;
  await app.billing.access.notifyOfEnds();
  await waitUntil('the client to hear of it', () => heard.includes('0 notifications/tools/list_changed'));
  expect(heard.filter((line) => line.startsWith('1'))).toEqual([]);
  await Promise.all(clients.map((client) => client.close()));
});

test('[ACC-21] [ACC-22] a canceled item stays usable until its period ends, and not longer', async () => {
  const person = await newPerson(app);
  const cancelled = { cancelled_at: at(0), period_ends_at: new Date(Date.now() + 5 * 60_000) };
  await give(person, 'rental', 'pro', { ...cancelled, source: 'payment', payment_id: crypto.randomUUID() });
  await givePlan(person, 'basic', { ...cancelled, payment_id: crypto.randomUUID() });
  expect(await person.accessTo('pro')).toMatchObject({ accessType: 'rental', isCancelled: true, renews: false });
  expect(await person.accessTo('basic')).toMatchObject({ accessType: 'subscription', isCancelled: true });
  const profile = await person.api.getUserProfile();
  expect(profile).toMatchObject({ planId: 'basic', planStatus: 'canceled' });
  aheadMs = 5 * 60_000 + 1_000;
  expect((await person.accessTo('pro')).accessType).toBe('none');
  expect((await person.accessTo('basic')).accessType).toBe('none');
  expect(await person.api.getUserProfile()).toMatchObject({ planId: 'free', planStatus: 'active' });
});

test('a renewing item stays usable while the news of its renewal is late; a removed item does not', async () => {
  const person = await newPerson(app);
  await givePlan(person, 'pro', { period_ends_at: at(-1), payment_id: crypto.randomUUID(), past_due: true });
  expect(await person.accessTo('pro')).toMatchObject({ accessType: 'subscription', renews: true });
  const late = await newPerson(app);
  await givePlan(late, 'pro', { period_ends_at: at(-3), payment_id: crypto.randomUUID() });
  expect((await late.accessTo('pro')).accessType).toBe('none');
  const removed = await newPerson(app);
  await give(removed, 'purchase', 'pro', { ended_at: at(-0.5) });
  expect((await removed.accessTo('pro')).accessType).toBe('none');
});
