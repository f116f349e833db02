import { afterAll, beforeAll, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { startFaultServer, type FaultServer } from '#testing/servers/fault-server.ts';
import { connectModern, type TestClient } from '#testing/people/mcp-clients.ts';
import { startHttpFixture, type HttpFixture } from '#testing/servers/mcp-fixture.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { startOAuthFixture, type OAuthFixture } from '../sign-in/testing/oauth-fixture.ts';
import { vaultManifest } from '../sign-in/testing/vault.ts';

/** Servers that change while the broker runs: its checks notice. */
let app: TestApp;
/** Fixtures by the slug of their server. */
const fixtures = new Map<string, HttpFixture>();
let faults: FaultServer;
let vault: OAuthFixture;
let client: TestClient;
let other: TestClient;
let laterMs = 0;

beforeAll(async () => {
  for (const slug of ['downshared', 'downperuser', 'dying']) fixtures.set(slug, await startHttpFixture('both'));
  for (const slug of ['upshared', 'upperuser', 'daily']) fixtures.set(slug, await startHttpFixture('legacy'));
  faults = await startFaultServer();
  vault = await startOAuthFixture();
  app = await startTestApp({
    allowAddresses: [...[...fixtures.values()].map(({ address }) => address), faults.address, vault.address],
    clock: { now: () => Date.now() + laterMs },
    env: { HEALTH_INTERVAL_MS: '200' },
  });
  for (const [slug, { url }] of fixtures) {
    const isolation = slug.endsWith('peruser') ? 'perUser' : 'shared';
    await deployManifest(app, { id: slug, slug, isolation, ...at(url) });
  }
  await deployManifest(app, { id: 'failing', ...at(faults.url('garbage')) });
  await deployManifest(app, { id: 'resetting', ...at(faults.url('reset')) });
  await deployManifest(app, vaultManifest(vault));
  const { token } = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' });
  client = await connectModern(`${app.publicUrl}/mcp`, token);
  const bob = await app.identity.createPersonalToken({ email: 'bob@souk.test', name: 'test' });
  other = await connectModern(`${app.publicUrl}/mcp`, bob.token);
});
afterAll(async () => {
  await client?.close();
  await other?.close();
  await app?.stop();
  await Promise.all([...fixtures.values(), faults, vault].map((each) => each?.close()));
});

/** Long deadlines, for a slow machine. */
const at = (url: string) => ({ connection: { type: 'http', url }, deadlines: { connectMs: 30_000, listMs: 60_000 } });
const eraOf = (id: string) => app.catalogue.snapshot().byId.get(id)?.era?.verdict;
const works = async (slug: string) =>
  (await client.callTool({ name: `${slug}__echo`, arguments: { text: 'x' } })).isError !== true;

test.each(['downshared', 'downperuser'])(
  'a server (%s) that returns to an older protocol is used with it',
  async (slug) => {
    expect(eraOf(slug)).toBe('modern');
    expect(await works(slug)).toBe(true);
    fixtures.get(slug)?.speak('legacy');
    await waitUntil('it is noticed', () => eraOf(slug) === 'legacy');
    expect(await works(slug)).toBe(true);
  },
);

test.each(['upshared', 'upperuser'])(
  'a server (%s) that only speaks the newer protocol is used with it',
  async (slug) => {
    expect(eraOf(slug)).toBe('legacy');
    expect(await works(slug)).toBe(true);
    fixtures.get(slug)?.speak('modern');
    await waitUntil('it is noticed', () => eraOf(slug) === 'modern');
    expect(await works(slug)).toBe(true);
  },
);

test('five consecutive failed calls of two users open the circuit of a server, and its status says so although it answers pings', async () => {
  const call = async (from = client) => JSON.stringify(await from.callTool({ name: 'failing__call', arguments: {} }));
  for (const from of [client, other, client, other, client]) expect(await call(from)).toContain('bad_upstream');
  const asked = faults.requests.filter(({ method }) => method === 'tools/call').length;
  expect(await call()).toContain('upstream_unavailable');
  expect(faults.requests.filter(({ method }) => method === 'tools/call')).toHaveLength(asked);
  const detail = () => app.catalogue.snapshot().byId.get('failing')?.statusDetail;
  await waitUntil('the status says so', () => detail()?.includes('Paused') === true);
  expect(await (await fetch(`${app.publicUrl}/mcp/capabilities`)).text()).toContain('Paused');
  laterMs += 31_000;
  await waitUntil('it is tried again', () => app.catalogue.snapshot().byId.get('failing')?.status === 'connected');
  expect(await call()).toContain('bad_upstream');
});

test('a server that was unreachable in five calls gets one more call of each user after an answered check, then its circuit stays open', async () => {
  const call = (from = client) => from.callTool({ name: 'resetting__call', arguments: {} });
  const asked = () => faults.requests.filter(({ method }) => method === 'tools/call').length;
  const before = asked();
  for (const from of [client, other, client, other, client]) await call(from);
  expect(asked()).toBe(before + 5);
  await waitUntil('a call notices', async () => {
    await call();
    return asked() === before + 6;
  });
  // the other user's probe confirms it
  await call(other);
  expect(asked()).toBe(before + 7);
  const detail = () => app.catalogue.snapshot().byId.get('resetting')?.statusDetail;
  await waitUntil('the status says so', () => detail()?.includes('Paused') === true);
  for (const from of [client, other]) await call(from);
  expect(asked()).toBe(before + 7);
});

test('five consecutive failed checks open the circuit of a server, without a call', async () => {
  expect(await works('dying')).toBe(true);
  await fixtures.get('dying')?.close();
  await waitUntil('the checks notice', () => app.upstreams.pool.isCircuitOpen('dying'));
});

test('a server behind a sign-in that answers checks again has a closed circuit, and earlier failed checks no longer count', async () => {
  const { pool } = app.upstreams;
  vault.mischief.intercept = (_request, response) => response.destroy() === response;
  await waitUntil('the checks notice', () => pool.isCircuitOpen('vault'));
  vault.mischief = {};
  await waitUntil('they are answered', () => app.catalogue.snapshot().byId.get('vault')?.status === 'connected');
  expect(pool.circuitOf('vault')).toBe('closed');
});

test('the era of a server is detected again each day', async () => {
  expect(eraOf('daily')).toBe('legacy');
  fixtures.get('daily')?.speak('both');
  laterMs += 25 * 60 * 60_000;
  await waitUntil('it is noticed', () => eraOf('daily') === 'modern');
});
