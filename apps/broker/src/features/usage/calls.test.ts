import { randomUUID } from 'node:crypto';
import { listCalls } from '@souk/contract/usage.ts';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { describeOnDatabases } from '#testing/databases/databases.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { connectLegacy, connectModern, postModern } from '#testing/people/mcp-clients.ts';
import { startHttpFixture, type HttpFixture } from '#testing/servers/mcp-fixture.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { usageRows } from '#testing/figures/usage-rows.ts';
import { migrations } from '../../migrations.ts';
import { dropOldPartitions } from './drop-old-partitions.ts';
import { ensurePartitions } from './ensure-partitions.ts';

let app: TestApp;
let fixture: HttpFixture;
let personalToken: string;
let userId: string;

beforeAll(async () => {
  fixture = await startHttpFixture('both');
  app = await startTestApp({ allowAddresses: [fixture.address] });
  await deployManifest(app, { id: 'one', connection: { type: 'http', url: fixture.url } });
  await deployManifest(app, { id: 'two', connection: { type: 'http', url: fixture.url } });
  ({ token: personalToken } = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'my laptop' }));
  const { rows } = await app.db.query<{ id: string }>(`select id from users where email = 'ann@souk.test'`);
  userId = rows[0]?.id ?? '';

  const client = await connectModern(`${app.publicUrl}/mcp`, personalToken);
  for (const name of ['one__echo', 'two__echo', 'one__echo']) {
    await client.callTool({ name, arguments: { text: 'a secret of mine' } });
  }
  await client.callTool({ name: 'one__refuse', arguments: {} }).catch(() => undefined);
  await client.getPrompt({ name: 'two__hello' });
  await client.close();
  const { accessToken } = await new ScriptedBrowser(app.publicUrl).signInMcpClient({ email: 'ann@souk.test' });
  const other = await connectLegacy(`${app.publicUrl}/mcp`, accessToken);
  await other.callTool({ name: 'two__echo', arguments: {} });
  await other.close();
  await app.usage.flush();
});
afterAll(async () => {
  await app?.stop();
  await fixture?.close();
});

async function calls(query = '', token: string | undefined = personalToken, of = userId) {
  const response = await fetch(`${app.publicUrl}/api/users/${of}/calls${query}`, {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  });
  const body: unknown = await response.json();
  return { status: response.status, body, ...listCalls.answer.safeParse(body).data };
}

test('every call of a user is listed with its client, server, tool, duration and outcome, newest first', async () => {
  const answer = await calls();
  expect(answer.calls?.map(({ serverId, name, outcome }) => `${serverId} ${name} ${outcome}`)).toEqual([
    'two echo ok',
    'two hello ok',
    'one refuse error',
    'one echo ok',
    'two echo ok',
    'one echo ok',
  ]);
  expect(answer.calls?.at(-1)).toMatchObject({
    client: { kind: 'token', name: 'my laptop' },
    kind: 'tool',
    reason: null,
    credits: 0,
    durationMs: (await usageRows(app, userId))[0]?.durationMs,
  });
  expect(answer.calls?.[0]?.client.kind).toBe('client');
  expect(answer.calls?.[0]?.client.name).not.toBe('Disconnected client');
  expect(answer.calls?.[2]?.reason).toBe('protocol_error');
  // neither arguments nor results are stored
  expect(JSON.stringify(answer.body)).not.toContain('a secret of mine');
  const { rows } = await app.db.query('select * from usage_events');
  expect(JSON.stringify(rows)).not.toContain('a secret of mine');
});

/** Creates a user who has made six calls. */
async function newCaller() {
  const email = `${randomUUID()}@souk.test`;
  const { token } = await app.identity.createPersonalToken({ email, name: 'own' });
  const { rows } = await app.db.query<{ id: string }>(`select id from users where email = $1`, [email]);
  const call = async () => {
    const client = await connectModern(`${app.publicUrl}/s/one/mcp`, token);
    await client.callTool({ name: 'echo', arguments: {} });
    await client.close();
    await app.usage.flush();
  };
  for (let count = 0; count < 6; count++) await call();
  return { call, list: (query: string) => calls(query, token, rows[0]?.id ?? '') };
}

test('pages neither repeat nor skip calls, also when new calls arrive in between', async () => {
  const { call, list } = await newCaller();
  const first = await list('?limit=2');
  await call();
  const second = await list(`?limit=2&cursor=${encodeURIComponent(first.nextCursor ?? '')}`);
  const third = await list(`?limit=2&cursor=${encodeURIComponent(second.nextCursor ?? '')}`);
  const ids = [first, second, third].flatMap(({ calls: page }) => page?.map(({ id }) => id) ?? []);
  expect(new Set(ids).size).toBe(6);
  expect(third.nextCursor).toBeNull();
});

test('the list is narrowed by server, outcome and time', async () => {
  const names = async (query: string) => (await calls(query)).calls?.map(({ name }) => name);
  expect(await names('?serverId=two')).toEqual(['echo', 'hello', 'echo']);
  expect(await names('?outcome=error')).toEqual(['refuse']);
  expect(await names(`?to=2020-01-01T00:00:00Z`)).toEqual([]);
  expect((await names(`?from=2020-01-01T00:00:00Z`))?.length).toBeGreaterThanOrEqual(6);
  for (const bad of ['?limit=0', '?limit=201', '?outcome=fine', '?from=yesterday', '?cursor=x', '?cursor=2026_1']) {
    expect((await calls(bad)).status, bad).toBe(400);
  }
});

test("a user cannot read another user's calls", async () => {
  const bob = (await new ScriptedBrowser(app.publicUrl).signInWeb({ email: 'bob@souk.test' })).accessToken;
  expect((await calls('', bob)).status).toBe(404);
  const response = await fetch(`${app.publicUrl}/v2/user/profile`, { headers: { authorization: `Bearer ${bob}` } });
  const profile: unknown = await response.json();
  const bobsId = String(Object.entries(profile ?? {}).find(([key]) => key === 'id')?.[1]);
  expect((await calls('', bob, bobsId)).calls).toEqual([]);
  expect((await calls('', undefined)).status).toBe(200);
  expect((await fetch(`${app.publicUrl}/api/users/${userId}/calls`)).status).toBe(401);
});

describeOnDatabases('months of calls', migrations, (open) => {
  test('are dropped as a whole when they are 13 months old', async () => {
    const db = await open();
    for (const month of [0, 1, 2, 14]) await ensurePartitions(db, Date.UTC(2025, month, 15));
    const partitions = async () =>
      (await db.query<{ name: string }>(`select relid::regclass::text as name from pg_partition_tree('usage_events')`))
        .rows;
    expect(await dropOldPartitions(db, Date.UTC(2026, 2, 15), 13)).toEqual(['usage_events_2025_01']);
    const left = (await partitions()).map(({ name }) => name);
    expect(left).toContain('usage_events_2025_02');
    expect(left).toContain('usage_events_default');
    expect(left).not.toContain('usage_events_2025_01');
  });
});

test('rate-limit refusals are one log entry per minute and token with a count, and the statistics add the counts up', async () => {
  let nowMs = Date.UTC(2030, 0, 1, 12, 0, 30);
  const strict = await startTestApp({
    allowAddresses: [fixture.address],
    clock: { now: () => nowMs },
    env: { MCP_CALLS_PER_MINUTE_TOKEN: '1' },
  });
  onTestFinished(() => strict.stop());
  await deployManifest(strict, { id: 'one', connection: { type: 'http', url: fixture.url } });
  const newToken = async (name: string) =>
    (await strict.identity.createPersonalToken({ email: 'eve@souk.test', name })).token;
  const [token, other] = [await newToken('loop'), await newToken('other')];
  const call = (by: string) =>
    postModern(`${strict.publicUrl}/mcp`, by, 'tools/call', { name: 'one__echo', arguments: {} });
  const callTimes = (count: number, by: string) => Promise.all(Array.from({ length: count }, () => call(by)));
  await call(token);
  await callTimes(50, token);
  await call(other);
  await callTimes(20, other);
  // in the next minute, where one more call is allowed
  nowMs += 60_000;
  await call(token);
  await callTimes(30, token);
  await strict.usage.flush();
  const { rows } = await strict.db.query<{ id: string }>(`select id from users where email = 'eve@souk.test'`);
  const read = async (what: string): Promise<unknown> => {
    const answer = await fetch(`${strict.publicUrl}/api/users/${rows[0]?.id}/${what}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    return answer.json();
  };
  const listed = listCalls.answer.parse(await read('calls')).calls;
  expect(listed.map(({ client, outcome, reason, count }) => [client.name, outcome, reason, count]).toSorted()).toEqual([
    ['loop', 'ok', null, 1],
    ['loop', 'ok', null, 1],
    ['loop', 'refused', 'rate_limited', 30],
    ['loop', 'refused', 'rate_limited', 50],
    ['other', 'ok', null, 1],
    ['other', 'refused', 'rate_limited', 20],
  ]);
  expect(await read('usage-stats')).toMatchObject({ data: { totalToolCalls: 103 } });
});
