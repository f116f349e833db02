import { createMCPClient } from '@ai-sdk/mcp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { connectLegacy, connectModern, connectV1, postModern, type TestClient } from '#testing/people/mcp-clients.ts';
import { startHttpFixture, type HttpFixture } from '#testing/servers/mcp-fixture.ts';
import { giveCredits } from '#testing/people/grant-credits.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';

let app: TestApp;
let fixture: HttpFixture;
let token: string;
let userId: string;
/** Servers that the user may use; the tests change them. */
let included: readonly string[] = [];

beforeAll(async () => {
  fixture = await startHttpFixture('both');
  app = await startTestApp({
    allowAddresses: [fixture.address],
    billing: { entitlement: () => (server) => included.includes(server.id) },
  });
  const connection = { type: 'http', url: fixture.url };
  await deployManifest(app, {
    id: 'weather',
    name: 'Weather',
    connection,
    billing: { tier: 'T2', toolCosts: { echo: 5 } },
  });
  const rental = { price: 900 };
  await deployManifest(app, { id: 'maps', name: 'Maps', connection, billing: { tier: 'T3', rental } });
  token = (await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' })).token;
  userId = await giveCredits(app, 'ann@souk.test', 100);
});
afterAll(async () => {
  await app?.stop();
  await fixture?.close();
});

const link = (id: string) => `${app.publicUrl}/s/${id}/mcp`;
const notIncluded = () =>
  `Weather is not in your plan. It is included in Pro ($19/month). Get it: ${app.publicUrl}/service/weather`;
const calls = () => fixture.seen.requests.filter(({ method }) => method === 'tools/call').length;
async function credits(): Promise<number> {
  await Promise.all([app.usage.flush(), app.billing.ledger.flush()]);
  const { rows } = await app.db.query<{ sum: string | null }>('select sum(credits)::text as sum from usage_events');
  return Number(rows[0]?.sum ?? 0);
}

const clients: Record<string, (url: string, token: string) => Promise<TestClient>> = {
  'SDK 1.x': connectV1,
  'SDK 2, revisions up to 2025-11-25': connectLegacy,
  'SDK 2, revision 2026-07-28': connectModern,
};

describe.each(Object.entries(clients))('the link of a server that is not included, with %s', (_name, connect) => {
  test('connects, and gives the reason instead of a list of tools', async () => {
    included = [];
    const client = await connect(link('weather'), token);
    await expect(client.listTools()).rejects.toThrow(notIncluded());
    expect((await client.listPrompts()).prompts).toEqual([]);
    expect((await client.listResources()).resources).toEqual([]);
    await client.close();
  });

  test('answers a call with the reason, and contacts no server and no account', async () => {
    included = [];
    const [before, creditsBefore] = [calls(), await credits()];
    const client = await connect(link('weather'), token);
    const result = await client.callTool({ name: 'echo', arguments: { text: 'x' } });
    expect(result).toMatchObject({ isError: true, _meta: { 'souk/code': 'not_included' } });
    expect(JSON.stringify(result.content)).toContain(`${app.publicUrl}/service/weather`);
    await expect(client.getPrompt({ name: 'hello' })).rejects.toThrow('Weather is not in your plan');
    await client.close();
    expect([calls(), await credits()]).toEqual([before, creditsBefore]);
  });

  test('opens for the same connection once the server is included, and closes again', async () => {
    included = [];
    const client = await connect(link('weather'), token);
    await expect(client.listTools()).rejects.toThrow(notIncluded());
    included = ['weather'];
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('echo');
    expect((await client.callTool({ name: 'echo', arguments: { text: 'x' } })).isError).toBeFalsy();
    included = [];
    expect((await client.callTool({ name: 'echo', arguments: { text: 'x' } })).isError).toBe(true);
    await client.close();
  });
});

test('the reason names the plan and the rental as they are sold, or the switch, and the page where to act', async () => {
  included = ['weather'];
  await app.upstreams.preferences.switchOff(userId, 'weather');
  const reason = async (id: string) => (await postModern(link(id), token, 'tools/list')).body.error;
  const weather = `${app.publicUrl}/service/weather`;
  expect(await reason('weather')).toEqual({
    code: -32010,
    message: `Weather is switched off. Turn it on: ${weather}`,
    data: { code: 'switched_off', url: weather },
  });
  included = [];
  expect((await reason('weather'))?.data, 'a server that is not included cannot be switched on').toEqual({
    code: 'not_included',
    url: weather,
  });
  await app.upstreams.preferences.switchOn(userId, 'weather');
  expect((await reason('maps'))?.message).toBe(
    `Maps is not in your plan. It is included in Enterprise ($99/month), or you can rent it for $9/month. Get it: ${app.publicUrl}/service/maps`,
  );
  const discovered = await postModern(link('weather'), token, 'server/discover');
  expect(discovered.body.result?.['instructions']).toBe(notIncluded());
});

test('other clients show the reason too', async () => {
  included = [];
  const headers = { authorization: `Bearer ${token}` };
  const client = await createMCPClient({ transport: { type: 'http', url: link('weather'), headers } });
  await expect(client.tools()).rejects.toThrow(notIncluded());
  await client.close();
});
