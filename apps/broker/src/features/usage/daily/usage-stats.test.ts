import { getUsageStats } from '@souk/contract/usage.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { giveCredits } from '#testing/people/grant-credits.ts';
import { connectModern, postModern } from '#testing/people/mcp-clients.ts';
import { startHttpFixture, type HttpFixture } from '#testing/servers/mcp-fixture.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';

let app: TestApp;
let fixture: HttpFixture;
let webToken: string;
let personalToken: string;
let userId: string;
let aheadMs = 0;
const dayMs = 24 * 60 * 60_000;

beforeAll(async () => {
  fixture = await startHttpFixture('both');
  app = await startTestApp({
    allowAddresses: [fixture.address],
    // a call takes no time: it is in the first bucket, which ends at 5 ms
    clock: { now: () => Date.now() + aheadMs, monotonic: () => 0 },
  });
  await deployManifest(app, { id: 'one', connection: { type: 'http', url: fixture.url } });
  await deployManifest(app, { id: 'two', connection: { type: 'http', url: fixture.url } });
  await deployManifest(app, {
    id: 'paid',
    connection: { type: 'http', url: fixture.url },
    billing: { tier: 'T0', toolCosts: { echo: 5 } },
  });
  webToken = (await new ScriptedBrowser(app.publicUrl).signInWeb({ email: 'ann@souk.test' })).accessToken;
  personalToken = (await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' })).token;
  const { rows } = await app.db.query<{ id: string }>(`select id from users where email = 'ann@souk.test'`);
  userId = rows[0]?.id ?? '';
});
afterAll(async () => {
  await app?.stop();
  await fixture?.close();
});

async function stats(token: string | undefined, of = userId, days: string | null = null) {
  await app.billing.ledger.flush();
  await app.usage.flush();
  const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {};
  const response = await fetch(`${app.publicUrl}/api/users/${of}/usage-stats${days === null ? '' : `?days=${days}`}`, {
    headers,
  });
  return { status: response.status, data: getUsageStats.answer.safeParse(await response.json()).data?.data };
}

test('before the first call the figures are zeros and there is no last call', async () => {
  const lastDays = Array.from({ length: 30 }, (_, index) =>
    new Date(Date.now() + aheadMs - (29 - index) * dayMs).toISOString().slice(0, 10),
  );
  const { accessToken } = await new ScriptedBrowser(app.publicUrl).signInWeb({ email: 'newcomer@souk.test' });
  const { rows } = await app.db.query<{ id: string }>(`select id from users where email = 'newcomer@souk.test'`);
  expect((await stats(accessToken, rows[0]?.id)).data).toEqual({
    totalCreditsUsed: 0,
    totalToolCalls: 0,
    answeredToolCalls: 0,
    averageCost: 0,
    usageByMcp: [],
    usageByTool: [],
    usageByDay: lastDays.map((date) => ({ date, toolCalls: 0, answeredToolCalls: 0, totalCredits: 0 })),
    usageByMcpAndDay: [],
    lastCallAt: null,
    lastAnsweredAt: null,
    lastClientAt: null,
  });
});

test('calls are counted by server, most used first, for their own user only', async () => {
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

test('refused or failed calls are counted separately from those that a tool answered', async () => {
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
  expect(before).toMatchObject({ totalToolCalls: 4, answeredToolCalls: 0, lastAnsweredAt: null });
  expect(before?.lastCallAt).not.toBeNull();

  // the tool reports an error, and so it has answered
  expect((await call('sums__get-sum', { a: 'x' })).body.result).toMatchObject({ isError: true });
  const after = (await stats(web, own)).data;
  expect(after).toMatchObject({
    totalToolCalls: 5,
    answeredToolCalls: 1,
    usageByMcp: expect.arrayContaining([
      expect.objectContaining({ mcpId: 'sums', toolCalls: 1, answeredToolCalls: 1 }),
      expect.objectContaining({ mcpId: 'one', toolCalls: 1, answeredToolCalls: 0 }),
    ]),
  });
  expect(after?.lastAnsweredAt).toBe(after?.lastCallAt);

  // a built-in tool that answers counts like any other, under an id that no server has
  for (const name of ['my_balance', 'list_my_servers']) await call(name);
  const withOwn = (await stats(web, own)).data;
  expect(withOwn).toMatchObject({ totalToolCalls: 7, answeredToolCalls: 3 });
  const [most, next] = withOwn?.usageByMcp ?? [];
  expect(most, 'the most answered first').toMatchObject({ mcpId: '+built-in', toolCalls: 4, answeredToolCalls: 2 });
  expect(next).toMatchObject({ mcpId: 'sums', answeredToolCalls: 1 });
  const today = (answered: number) => [...Array.from({ length: 29 }, () => 0), answered];
  expect(withOwn?.usageByMcpAndDay).toEqual([
    { mcpId: 'sums', answeredToolCalls: today(1) },
    { mcpId: '+built-in', answeredToolCalls: today(2) },
  ]);
  expect(withOwn?.usageByDay.at(-1)).toMatchObject({ toolCalls: 7, answeredToolCalls: 3 });
  expect(withOwn?.usageByTool.map(({ mcpId }) => mcpId)).not.toContain('+built-in');
});

test('[HIST-9] [HIST-10] [HIST-11] usage is given in total, by server, by tool and by day, for the last 30 days', async () => {
  const email = 'dora@souk.test';
  const signIn = async () => (await new ScriptedBrowser(app.publicUrl).signInWeb({ email })).accessToken;
  const call = async (name: string) => {
    // a token created on the day on which it is used
    const { token } = await app.identity.createPersonalToken({ email, name: 'test' });
    const { body } = await postModern(`${app.publicUrl}/mcp`, token, 'tools/call', { name, arguments: {} });
    expect(body.result, JSON.stringify(body)).not.toMatchObject({ isError: true });
  };
  await signIn();
  const own = await giveCredits(app, email, 100);
  const firstDay = new Date(Date.now() + aheadMs).toISOString().slice(0, 10);
  await call('paid__echo');
  await call('one__echo');
  aheadMs = 3 * dayMs;
  for (const name of ['paid__echo', 'paid__echo', 'paid__capabilities', 'one__echo', 'two__echo', 'one__echo'])
    await call(name);
  const { data } = await stats(await signIn(), own);
  expect(data).toMatchObject({ totalCreditsUsed: 15, totalToolCalls: 8, answeredToolCalls: 8, averageCost: 1.88 });
  expect(data?.lastClientAt).toBe(data?.lastAnsweredAt);
  expect(data?.usageByMcp).toMatchObject([
    { mcpId: 'paid', toolCalls: 4, answeredToolCalls: 4, averageCost: 3.8, totalCredits: 15 },
    { mcpId: 'one', toolCalls: 3, answeredToolCalls: 3, averageCost: 0, totalCredits: 0 },
    { mcpId: 'two', toolCalls: 1, answeredToolCalls: 1, averageCost: 0, totalCredits: 0 },
  ]);
  expect(data?.usageByTool.map((tool) => [tool.mcpId, tool.toolName, tool.toolCalls, tool.totalCredits])).toEqual([
    ['one', 'echo', 3, 0],
    ['paid', 'echo', 3, 15],
    ['paid', 'capabilities', 1, 0],
    ['two', 'echo', 1, 0],
  ]);
  expect(data?.usageByTool[0]?.latencyMs).toEqual({ p50: 3, p95: 5, p99: 5 });
  const byDay = data?.usageByDay ?? [];
  expect(byDay).toHaveLength(30);
  expect(byDay.filter(({ toolCalls }) => toolCalls > 0)).toEqual([
    { date: firstDay, toolCalls: 2, answeredToolCalls: 2, totalCredits: 5 },
    { date: byDay.at(-1)?.date, toolCalls: 6, answeredToolCalls: 6, totalCredits: 10 },
  ]);
  const onBothDays = (first: number, last: number) => [...Array.from({ length: 26 }, () => 0), first, 0, 0, last];
  expect(data?.usageByMcpAndDay, 'the most used first').toEqual([
    { mcpId: 'paid', answeredToolCalls: onBothDays(1, 3) },
    { mcpId: 'one', answeredToolCalls: onBothDays(1, 2) },
    { mcpId: 'two', answeredToolCalls: onBothDays(0, 1) },
  ]);
  // three days ago is the fourth of the last four days, and not one of the last three
  expect((await stats(await signIn(), own, '4')).data?.totalToolCalls).toBe(8);
  expect((await stats(await signIn(), own, '3')).data).toMatchObject({ totalToolCalls: 6, totalCreditsUsed: 10 });
  aheadMs += 27 * dayMs;
  expect((await stats(await signIn(), own)).data).toMatchObject({
    totalToolCalls: 6,
    lastCallAt: data?.lastCallAt,
  });
  aheadMs = 0;
});

test("[GEN-40] [GEN-41] another user's id in the path answers 404, like an unknown one", async () => {
  expect((await stats(webToken, '00000000-0000-7000-8000-000000000000')).status).toBe(404);
  expect((await stats(webToken, 'nobody')).status).toBe(404);
});

test('[TOK-15] [TOK-17] [TOK-18] a web token and a personal token may read it, a request without a token may not', async () => {
  expect((await stats(personalToken)).status).toBe(200);
  expect((await stats(undefined)).status).toBe(401);
  expect((await stats(webToken, userId, '0')).status).toBe(400);
});
