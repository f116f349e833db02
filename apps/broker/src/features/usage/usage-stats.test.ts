import { getUsageStats } from '@souk/contract/usage.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { connectModern, postModern } from '#testing/mcp-clients.ts';
import { startHttpFixture, type HttpFixture } from '#testing/mcp-fixture.ts';
import { ScriptedBrowser } from '#testing/scripted-browser.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';

let app: TestApp;
let fixture: HttpFixture;
let webToken: string;
let personalToken: string;
let userId: string;

beforeAll(async () => {
  fixture = await startHttpFixture('both');
  app = await startTestApp({ allowAddresses: [fixture.address] });
  await deployManifest(app, { id: 'one', connection: { type: 'http', url: fixture.url } });
  await deployManifest(app, { id: 'two', connection: { type: 'http', url: fixture.url } });
  webToken = (await new ScriptedBrowser(app.publicUrl).signInWeb({ email: 'ann@souk.test' })).accessToken;
  personalToken = (await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' })).token;
  const { rows } = await app.db.query<{ id: string }>(`select id from users where email = 'ann@souk.test'`);
  userId = rows[0]?.id ?? '';
});
afterAll(async () => {
  await app?.stop();
  await fixture?.close();
});

async function stats(token: string | undefined, of = userId, days = '30') {
  await app.usage.flush();
  const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {};
  const response = await fetch(`${app.publicUrl}/api/users/${of}/usage-stats?days=${days}`, { headers });
  return { status: response.status, data: getUsageStats.answer.safeParse(await response.json()).data?.data };
}

test('before the first call the figures are zeros and there is no last call', async () => {
  expect((await stats(webToken)).data).toEqual({
    totalCreditsUsed: 0,
    totalToolCalls: 0,
    answeredToolCalls: 0,
    usageByMcp: [],
    lastCallAt: null,
    lastAnsweredAt: null,
  });
});

test('calls are counted by server, most used first, for their own person only', async () => {
  const client = await connectModern(`${app.publicUrl}/mcp`, personalToken);
  for (const name of ['two__echo', 'one__echo', 'two__echo']) await client.callTool({ name, arguments: {} });
  await client.getPrompt({ name: 'one__hello' });
  await client.close();
  const { data } = await stats(webToken);
  expect(data).toMatchObject({
    totalToolCalls: 3,
    usageByMcp: [
      { mcpId: 'two', toolCalls: 2, averageCost: 0, totalCredits: 0 },
      { mcpId: 'one', toolCalls: 1 },
    ],
  });
  expect(Date.now() - Date.parse(data?.lastCallAt ?? '')).toBeLessThan(60_000);
  const bob = (await new ScriptedBrowser(app.publicUrl).signInWeb({ email: 'bob@souk.test' })).accessToken;
  expect((await stats(bob)).status).toBe(404);
});

test('calls that were refused or failed are counted apart from those that a tool answered', async () => {
  await deployManifest(app, { id: 'sums', connection: { type: 'stdio', command: 'everything' } });
  const { token } = await app.identity.createPersonalToken({ email: 'carl@souk.test', name: 'test' });
  const web = (await new ScriptedBrowser(app.publicUrl).signInWeb({ email: 'carl@souk.test' })).accessToken;
  const { rows } = await app.db.query<{ id: string }>(`select id from users where email = 'carl@souk.test'`);
  const own = rows[0]?.id ?? '';
  const call = (name: string, args = {}) =>
    postModern(`${app.publicUrl}/mcp`, token, 'tools/call', { name, arguments: args });

  await app.upstreams.preferences.switchOff(own, 'one');
  await call('one__echo');
  await call('two__refuse');
  await call('no_such_tool');
  // an error of a built-in tool is a refusal of ours
  expect((await call('find_tools', { query: '' })).body.result).toMatchObject({ isError: true });
  const before = (await stats(web, own)).data;
  expect(before).toMatchObject({ totalToolCalls: 2, answeredToolCalls: 0, lastAnsweredAt: null });
  expect(before?.lastCallAt).not.toBeNull();

  // the tool says no, and its answer has come
  expect((await call('sums__get-sum', { a: 'x' })).body.result).toMatchObject({ isError: true });
  const after = (await stats(web, own)).data;
  expect(after).toMatchObject({
    totalToolCalls: 3,
    answeredToolCalls: 1,
    usageByMcp: expect.arrayContaining([
      expect.objectContaining({ mcpId: 'sums', toolCalls: 1, answeredToolCalls: 1 }),
      expect.objectContaining({ mcpId: 'one', toolCalls: 1, answeredToolCalls: 0 }),
    ]),
  });
  expect(after?.lastAnsweredAt).toBe(after?.lastCallAt);
});

test("[GEN-40] [GEN-41] another's id in the path answers 404, like an unknown one", async () => {
  expect((await stats(webToken, '00000000-0000-7000-8000-000000000000')).status).toBe(404);
  expect((await stats(webToken, 'nobody')).status).toBe(404);
});

test('[TOK-15] [TOK-17] [TOK-18] a web token and a personal token may read it, a request without a token may not', async () => {
  expect((await stats(personalToken)).status).toBe(200);
  expect((await stats(undefined)).status).toBe(401);
  expect((await stats(webToken, userId, '0')).status).toBe(400);
});
