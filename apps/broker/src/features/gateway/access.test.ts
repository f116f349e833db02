import { afterAll, beforeAll, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { connectModern } from '#testing/mcp-clients.ts';
import { startHttpFixture, type HttpFixture } from '#testing/mcp-fixture.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';

let app: TestApp;
let fixture: HttpFixture;
let subscriber = '';
const tokens = { subscriber: '', visitor: '' };

beforeAll(async () => {
  fixture = await startHttpFixture('both');
  app = await startTestApp({
    allowAddresses: [fixture.address],
    // what billing will decide: one person has the tier, everybody has what is free
    access: async (userId) => (server) => (server.manifest.billing?.tier ?? 'T0') === 'T0' || userId === subscriber,
  });
  for (const name of ['subscriber', 'visitor'] as const) {
    tokens[name] = (await app.identity.createPersonalToken({ email: `${name}@souk.test`, name: 'test' })).token;
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
const credits = async () => {
  await app.usage.flush();
  return (
    await app.db.query<{ name: string; credits: number; outcome: string }>(
      'select name, credits, outcome from usage_events',
    )
  ).rows;
};

test('[CAT-20] a tool may cost credits, and access is needed for the call whatever it costs', async () => {
  const { tools } = await (await connect('visitor')).listTools();
  expect(tools.map(({ name }) => name)).toContain('free__echo');
  expect(tools.map(({ name }) => name)).not.toContain('pro__echo');
  const visitor = await connect('visitor');
  await expect(visitor.callTool({ name: 'pro__echo', arguments: {} })).rejects.toThrow('Unknown tool: pro__echo');
  await expect(connect('visitor', '/s/pro/mcp')).rejects.toThrow(/Version negotiation failed/);
  await visitor.close();
  const client = await connect('subscriber');
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('pro__echo');
  expect((await client.callTool({ name: 'pro__echo', arguments: { text: 'mine' } })).isError).toBeFalsy();
  await client.close();
  expect((await (await connect('subscriber', '/s/pro/mcp')).listTools()).tools.length).toBeGreaterThan(0);
});

test('[CAT-21] a call that does not succeed is never charged: its usage row says 0 credits', async () => {
  const client = await connect('visitor');
  await client.callTool({ name: 'free__refuse', arguments: {} }).catch(() => undefined);
  const refused = (await credits()).filter(({ name }) => name === 'refuse');
  expect(refused).toEqual([{ name: 'refuse', credits: 0, outcome: 'error' }]);
  await client.close();
});
