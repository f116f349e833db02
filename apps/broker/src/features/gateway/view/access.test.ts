import { afterAll, beforeAll, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { connectModern } from '#testing/people/mcp-clients.ts';
import { startHttpFixture, type HttpFixture } from '#testing/servers/mcp-fixture.ts';
import { giveCredits } from '#testing/people/grant-credits.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { usageRows } from '#testing/figures/usage-rows.ts';

let app: TestApp;
let fixture: HttpFixture;
let subscriber = '';
const tokens = { subscriber: '', visitor: '' };

beforeAll(async () => {
  fixture = await startHttpFixture('both');
  app = await startTestApp({
    allowAddresses: [fixture.address],
    // the policy that billing will have: one user has the tier, all users have the free servers
    billing: {
      entitlement: async (userId) => (server) =>
        (server.manifest.billing?.tier ?? 'T0') === 'T0' || userId === subscriber,
    },
  });
  for (const name of ['subscriber', 'visitor'] as const) {
    tokens[name] = (await app.identity.createPersonalToken({ email: `${name}@souk.test`, name: 'test' })).token;
    await giveCredits(app, `${name}@souk.test`, 100);
  }
  const { rows } = await app.db.query<{ id: string }>(`select id from users where email = 'subscriber@souk.test'`);
  subscriber = rows[0]?.id ?? '';
  const connection = { type: 'http', url: fixture.url };
  await deployManifest(app, { id: 'pro', connection, billing: { tier: 'T2', toolCosts: { echo: 5 } } });
  await deployManifest(app, { id: 'free', connection, billing: { tier: 'T0', toolCosts: { echo: 1, refuse: 3 } } });
});
afterAll(async () => {
  await app?.stop();
  await fixture?.close();
});

const connect = (name: keyof typeof tokens, path = '/mcp') => connectModern(`${app.publicUrl}${path}`, tokens[name]);

test('a server that the user may not use is in no list, and a call of its tools says so', async () => {
  const { tools } = await (await connect('visitor')).listTools();
  expect(tools.map(({ name }) => name)).toContain('free__echo');
  expect(tools.map(({ name }) => name)).not.toContain('pro__echo');
  const visitor = await connect('visitor');
  const refused = await visitor.callTool({ name: 'pro__echo', arguments: {} });
  expect(refused).toMatchObject({ isError: true, _meta: { 'souk/code': 'not_included' } });
  const closed = await connect('visitor', '/s/pro/mcp');
  const refusedThere = await closed.callTool({ name: 'echo', arguments: { text: 'mine' } });
  expect(refusedThere).toMatchObject({ isError: true, _meta: { 'souk/code': 'not_included' } });
  await closed.close();
  await visitor.close();
  const client = await connect('subscriber');
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('pro__echo');
  expect((await client.callTool({ name: 'pro__echo', arguments: { text: 'mine' } })).isError).toBeFalsy();
  await client.close();
  expect((await (await connect('subscriber', '/s/pro/mcp')).listTools()).tools.length).toBeGreaterThan(0);
});

test('the usage row of a failed call says 0 credits', async () => {
  const client = await connect('visitor');
  await client.callTool({ name: 'free__refuse', arguments: {} }).catch(() => undefined);
  const refused = (await usageRows(app)).filter(({ name }) => name === 'refuse');
  expect(refused).toMatchObject([{ name: 'refuse', credits: 0, outcome: 'error' }]);
  await client.close();
});
