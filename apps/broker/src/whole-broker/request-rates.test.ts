import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { connectPatiently, createPostgresDatabase, describeOnPostgres } from '#testing/databases/databases.ts';
import { freePort } from '#testing/network/free-port.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { startReplicas, type Replicas } from '#testing/start-replicas.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { migrations } from '../migrations.ts';

let app: TestApp;
let nowMs = Date.now();
let metricsPort: number;
beforeAll(async () => {
  metricsPort = await freePort();
  app = await startTestApp({
    clock: { now: () => nowMs },
    // a sixth of it as a burst: 10 for a user, 20 for an address
    env: {
      API_REQUESTS_PER_MINUTE_USER: '60',
      API_REQUESTS_PER_MINUTE_ADDRESS: '120',
      TRUST_PROXY: '127.0.0.1',
      LOG_LEVEL: 'info',
      METRICS_PORT: String(metricsPort),
    },
  });
});
// a new minute
beforeEach(() => (nowMs += 60_000));
afterAll(() => app?.stop());

async function newPerson(email: string) {
  const { accessToken } = await new ScriptedBrowser(app.publicUrl).signInWeb({ email });
  const { rows } = await app.db.query<{ id: string }>('select id from users where email = $1', [email]);
  return { token: accessToken, userId: rows[0]?.id ?? '' };
}

async function ask(path: string, { token, from = '198.51.100.1' }: { token?: string; from?: string } = {}) {
  const answer = await fetch(app.publicUrl + path, {
    headers: { 'x-forwarded-for': from, ...(token !== undefined && { authorization: `Bearer ${token}` }) },
  });
  return { status: answer.status, retryAfter: answer.headers.get('retry-after'), text: await answer.text() };
}

const profile = '/v2/user/profile';
const info = '/mcp/info';
const many = async (count: number, one: () => Promise<{ status: number }>) =>
  (await Promise.all(Array.from({ length: count }, one))).filter(({ status }) => status !== 429).length;

test('a user has a limit of reads, from any address; other users, and visitors, are not affected', async () => {
  const [ann, bob] = [await newPerson('ann@souk.test'), await newPerson('bob@souk.test')];
  let address = 0;
  expect(await many(15, () => ask(profile, { ...ann, from: `198.51.100.${++address}` }))).toBe(10);
  const refused = await ask(profile, ann);
  expect(refused).toMatchObject({ status: 429, retryAfter: '1' });
  expect(JSON.parse(refused.text)).toEqual({
    success: false,
    code: 'rate_limited',
    message: 'Too many requests. Please wait a moment and try again.',
  });
  expect((await ask(profile, bob)).status).toBe(200);
  expect((await ask(info)).status).toBe(200);
  // one per second refills
  nowMs += 1_000;
  expect(await many(5, () => ask(profile, ann))).toBe(1);
});

test('an address that is not signed in has a limit of reads; signed-in users behind it continue', async () => {
  const ann = await newPerson('ann@souk.test');
  expect(await many(30, () => ask(info))).toBe(20);
  expect(await ask(info)).toMatchObject({ status: 429, retryAfter: '1' });
  // public reads do not depend on a token; a user's calls without one count as well
  expect((await ask(info, ann)).status).toBe(429);
  expect((await ask(profile)).status).toBe(429);
  expect((await ask(profile, ann)).status).toBe(200);
  expect((await ask(info, { from: '198.51.100.2' })).status).toBe(200);
});

test('an expensive request counts by its weight in the contract, and waits longer', async () => {
  const { token, userId } = await newPerson('ann@souk.test');
  const file = `/api/users/${userId}/calls.csv`;
  // a weight above the burst takes all of it
  expect((await ask(file, { token })).status).toBe(200);
  expect(await ask(file, { token })).toMatchObject({ status: 429, retryAfter: '10' });
  expect((await ask(profile, { token })).status).toBe(429);
  const files = app.router.served.filter(({ path }) => /csv$|export$/.test(path));
  expect(files.map(({ weight }) => weight).sort()).toEqual([100, 100, 50, 50, 50, 50]);
  // a search is more expensive than one of its pages
  expect(await many(30, () => ask('/api/catalogue/suggestions?q=x'))).toBeLessThan(20);
});

test('a flood leaves lines with its address, the number of the rest and a figure; unknown addresses count as well', async () => {
  const figure = async () => {
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    return Number(/^souk_requests_refused_total\{door="api"\} (\d+)$/m.exec(text)?.[1]);
  };
  const from = '198.51.100.77';
  const lines = () =>
    app
      .logged()
      .split('\n')
      .filter((text) => text.includes('refused'))
      .map((text): Record<string, unknown> => JSON.parse(text));
  const own = () => lines().filter(({ msg, address }) => msg === 'request refused' && address === from);
  const told = () =>
    lines().reduce((sum, line) => sum + (line['msg'] === 'request refused' ? 1 : Number(line['leftOut'])), 0);
  const before = await figure();
  await waitUntil('the earlier refusals to be reported', () => told() === before);
  const unknown = ['/api/nothing', '/v2/nothing', '/api/nothing?q=1'];
  let asked = 0;
  expect(await many(80, () => ask(unknown[asked++ % 3] ?? '', { from }))).toBe(20);
  expect((await ask(info, { from })).status).toBe(429);
  expect(await figure()).toBe(before + 61);
  await waitUntil('all to be notified', () => told() === before + 61);
  expect(own().length).toBeLessThanOrEqual(30);
  // a limited number of lines per second, which an earlier test may have used
  await waitUntil('a separate line', async () => {
    await ask(info, { from });
    return own().length > 0;
  });
  expect(own()[0]).toMatchObject({ level: 30, door: 'api', code: 'rate_limited', address: from });
  // the line about a user names the account
  const ann = await newPerson('ann@souk.test');
  expect(await many(11, () => ask(profile, { ...ann, from }))).toBe(10);
  await waitUntil('the line', () => lines().some(({ user }) => user === ann.userId));
});

describeOnPostgres('several brokers', migrations, () => {
  let replicas: Replicas | undefined;
  afterEach(() => replicas?.stop());

  test('each takes its share of the rate, so that all of them together allow what one would', async () => {
    const databaseUrl = await createPostgresDatabase();
    const connect = () => connectPatiently(databaseUrl);
    // a sixth of it is 40
    const env = { API_REQUESTS_PER_MINUTE_USER: '240' };
    const clock = { now: () => nowMs };
    const { publicUrl, apps } = (replicas = await startReplicas(connect, { env, clock }));
    await waitUntil('each to know of the other', () => apps.every(({ db }) => db.brokers.count() === 2));
    const { accessToken } = await new ScriptedBrowser(publicUrl).signInWeb({ email: 'ann@souk.test' });
    const headers = { authorization: `Bearer ${accessToken}` };
    const statuses = await Promise.all(
      Array.from({ length: 100 }, async () => (await fetch(publicUrl + profile, { headers })).status),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(40);
    expect(statuses.filter((status) => status === 429)).toHaveLength(60);
  });
});
