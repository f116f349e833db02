import { afterAll, beforeAll, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { postModern } from '#testing/people/mcp-clients.ts';
import { startHttpFixture, type HttpFixture } from '#testing/servers/mcp-fixture.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';

const hourMs = 60 * 60_000;
const startMs = Date.now();
/** Time of the machine's clock, and the time that has really passed. */
let wallMs = startMs;
let passedMs = startMs;
let app: TestApp;
let fixture: HttpFixture;

beforeAll(async () => {
  fixture = await startHttpFixture('both');
  app = await startTestApp({
    allowAddresses: [fixture.address],
    clock: { now: () => wallMs, monotonic: () => passedMs },
    env: { ...withoutHealthChecks, MCP_CALLS_PER_MINUTE_TOKEN: '2', MCP_REQUESTS_PER_MINUTE_TOKEN: '2' },
  });
  await deployManifest(app, { id: 'one', connection: { type: 'http', url: fixture.url } });
});
afterAll(async () => {
  await app?.stop();
  await fixture?.close();
});

test('security row 44: a clock that steps back blocks no requests, and one that steps forward lifts no limits', async () => {
  const { token } = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' });
  const list = async () => (await postModern(`${app.publicUrl}/mcp`, token, 'tools/list')).status;
  const call = async () => {
    const params = { name: 'one__echo', arguments: { text: 'x' } };
    return (await postModern(`${app.publicUrl}/mcp`, token, 'tools/call', params)).body.result?.['isError'] !== true;
  };
  expect([await list(), await list(), await list()]).toEqual([200, 200, 429]);
  expect([await call(), await call(), await call()]).toEqual([true, true, false]);

  wallMs = startMs + hourMs;
  expect([await list(), await call()]).toEqual([429, false]);

  wallMs = startMs - hourMs;
  passedMs += 60_000;
  expect([await list(), await list(), await list()]).toEqual([200, 200, 429]);
  expect([await call(), await call(), await call()]).toEqual([true, true, false]);
});

test('a version deployed after the clock stepped back is discovered', async () => {
  await deployManifest(app, { id: 'two', connection: { type: 'http', url: fixture.url } });
  wallMs -= hourMs;
  const asked = () => fixture.seen.requests.filter(({ method }) => method === 'tools/list').length;
  const before = asked();
  const version = '2.0.0';
  await deployManifest(app, { id: 'two', version, connection: { type: 'http', url: fixture.url } });
  expect(await app.upstreams.watch.asked('two')).toBeUndefined();
  expect(asked() - before).toBe(1);
});

test('a circuit that opened before the clock stepped back is probed when its time is over', async () => {
  const { token } = await app.identity.createPersonalToken({ email: 'bea@souk.test', name: 'test' });
  const pool = app.upstreams.pool;
  await deployManifest(app, { id: 'gone', connection: { type: 'http', url: fixture.url } });
  const call = () => {
    passedMs += 30_000;
    return postModern(`${app.publicUrl}/mcp`, token, 'tools/call', { name: 'gone__echo', arguments: { text: 'x' } });
  };
  expect((await call()).body.result?.['isError']).toBeUndefined();
  for (let count = 0; count < 5; count++) pool.failedCheck('gone', 'unreachable');
  expect(pool.isCircuitOpen('gone')).toBe(true);
  wallMs -= hourMs;
  passedMs += 10 * 60_000;
  expect(pool.isCircuitOpen('gone')).toBe(false);
  expect((await call()).body.result?.['isError']).toBeUndefined();
});
