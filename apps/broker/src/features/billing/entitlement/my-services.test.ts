import { listMcpServices, startTrial } from '@souk/contract/billing/billing.ts';
import { createClient } from '@souk/contract/client.ts';
import { getUserProfile } from '@souk/contract/identity.ts';
import { disableServer } from '@souk/contract/upstreams.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { postModern } from '#testing/people/mcp-clients.ts';
import { startHttpFixture, type HttpFixture } from '#testing/servers/mcp-fixture.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';

let app: TestApp;
let fixture: HttpFixture;

beforeAll(async () => {
  fixture = await startHttpFixture('both');
  app = await startTestApp({ allowAddresses: [fixture.address], env: withoutHealthChecks });
  const connection = { type: 'http', url: fixture.url };
  const rental = { price: 900, currency: 'EUR' };
  await deployManifest(app, { id: 'zoo', name: 'A zoo', icon: '/icons/zoo.svg', features: ['Lions'], connection });
  await deployManifest(app, { id: 'basic', name: 'Basic', connection, billing: { tier: 'T1' } });
  await deployManifest(app, { id: 'pro', name: 'Pro', connection, billing: { tier: 'T2', rental, trialDays: 7 } });
});
afterAll(async () => {
  await app?.stop();
  await fixture?.close();
});

const endpoints = [listMcpServices, startTrial, disableServer, getUserProfile] as const;

async function signIn(email: string) {
  const { accessToken } = await new ScriptedBrowser(app.publicUrl).signInWeb({ email });
  const api = createClient(endpoints, { baseUrl: app.publicUrl, fetch, token: async () => accessToken });
  const { id: userId } = await api.getUserProfile();
  return { userId, api, services: async () => (await api.listMcpServices({ params: { userId } })).services };
}

test('[MINE-6] [MINE-7] [MINE-8] my services are all deployed ones by name, with price, access, switch and trial', async () => {
  const { services } = await signIn('ann@souk.test');
  const access = { expiresAt: null, isTrialPeriod: false, features: [], isCancelled: false, renews: false, plan: null };
  const none = { ...access, hasAccess: false, accessType: 'none' };
  const description = 'A server of a test.';
  expect(await services()).toEqual([
    {
      id: 'zoo',
      icon: '/icons/zoo.svg',
      name: 'A zoo',
      description,
      billing: null,
      features: ['Lions'],
      userAccess: { ...access, hasAccess: true, accessType: 'free' },
      enabled: true,
      trialDays: null,
      down: null,
    },
    {
      id: 'basic',
      icon: null,
      name: 'Basic',
      description,
      billing: {
        tier: 'T1',
        rental: null,
        currency: 'USD',
        plan: { planId: 'basic', name: 'Basic', amount: 500, currency: 'USD' },
      },
      features: [],
      userAccess: none,
      enabled: false,
      trialDays: null,
      down: null,
    },
    {
      id: 'pro',
      icon: null,
      name: 'Pro',
      description,
      billing: {
        tier: 'T2',
        rental: { price: 900, currency: 'EUR' },
        currency: 'EUR',
        plan: { planId: 'pro', name: 'Pro', amount: 1900, currency: 'USD' },
      },
      features: [],
      userAccess: none,
      enabled: false,
      trialDays: 7,
      down: null,
    },
  ]);
});

test('the services that are enabled there are those that the link lists', async () => {
  const { userId, api, services } = await signIn('bob@souk.test');
  const { token } = await app.identity.createPersonalToken({ email: 'bob@souk.test', name: 'test' });
  const enabled = async () => (await services()).filter((service) => service.enabled).map(({ id }) => id);
  const listed = async () => {
    const { body } = await postModern(`${app.publicUrl}/mcp`, token, 'tools/list');
    const names = JSON.stringify(body).match(/"(zoo|basic|pro)__echo"/g) ?? [];
    return names.map((name) => name.slice(1, name.indexOf('__')));
  };
  expect(await enabled()).toEqual(['zoo']);
  expect(await listed()).toEqual(['zoo']);
  await api.startTrial({ body: { mcpId: 'pro' } });
  expect(await enabled()).toEqual(['zoo', 'pro']);
  expect(await listed()).toEqual(['zoo', 'pro']);
  // a running trial is not offered again
  expect((await services()).find(({ id }) => id === 'pro')).toMatchObject({
    userAccess: { accessType: 'trial', isTrialPeriod: true },
    trialDays: null,
  });
  await api.disableServer({ params: { serverId: 'zoo' } });
  expect(await enabled()).toEqual(['pro']);
  expect(await listed()).toEqual(['pro']);
  // a trial that has ended is not offered again either
  await app.db.query(`update access_grants set period_ends_at = now() where user_id = $1`, [userId]);
  expect((await services()).find(({ id }) => id === 'pro')).toMatchObject({
    userAccess: { accessType: 'none' },
    enabled: false,
    trialDays: null,
  });
});

test("another user's services are not found", async () => {
  const ann = await signIn('ann@souk.test');
  const bob = await signIn('bob@souk.test');
  await expect(ann.api.listMcpServices({ params: { userId: bob.userId } })).rejects.toMatchObject({ status: 404 });
});
