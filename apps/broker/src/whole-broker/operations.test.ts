import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { getHealth } from '@souk/contract/catalogue/catalogue.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { startFaultServer, type FaultServer } from '#testing/servers/fault-server.ts';
import { freePort } from '#testing/network/free-port.ts';
import { connectModern, type TestClient } from '#testing/people/mcp-clients.ts';
import { limitElapsed } from '#testing/figures/limits.ts';
import { startHttpFixture, type HttpFixture } from '#testing/servers/mcp-fixture.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { startTcpProxy, type TcpProxy } from '#testing/network/tcp-proxy.ts';
import { waitUntil } from '#testing/wait-until.ts';

/** Signals that an operator sees at 3 a.m.: the log at `info`, the default in production, and /metrics. */
let app: TestApp;
let fixture: HttpFixture;
let faults: FaultServer;
let proxy: TcpProxy;
let token: string;
let userId: string;
let client: TestClient;
let metricsPort: number;

const canary = 'canary-argument-2718';

beforeAll(async () => {
  metricsPort = await freePort();
  [fixture, faults] = await Promise.all([startHttpFixture('both'), startFaultServer()]);
  proxy = await startTcpProxy({ host: '127.0.0.1', port: Number(new URL(fixture.url).port) });
  app = await startTestApp({
    allowAddresses: [fixture.address, faults.address, `127.0.0.1:${proxy.port}`],
    env: {
      LOG_LEVEL: 'info',
      HEALTH_INTERVAL_MS: '100',
      METRICS_PORT: String(metricsPort),
      SIGN_IN_ALLOW: 'souk.test',
      MCP_CALLS_PER_MINUTE_TOKEN: '10000',
      MCP_CALLS_PER_MINUTE_USER: '10000',
    },
  });
  await deployManifest(app, { id: 'good', connection: { type: 'http', url: fixture.url } });
  await deployManifest(app, { id: 'broken', connection: { type: 'http', url: faults.url('garbage') } });
  await deployManifest(app, {
    id: 'away',
    connection: { type: 'http', url: fixture.url.replace(fixture.address, `127.0.0.1:${proxy.port}`) },
  });
  ({ token } = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' }));
  const { rows } = await app.db.query<{ id: string }>(`select id from users where email = 'ann@souk.test'`);
  userId = rows[0]?.id ?? '';
  client = await connectModern(`${app.publicUrl}/mcp`, token);
});
afterAll(async () => {
  await client?.close();
  await app?.stop();
  await Promise.all([proxy, fixture, faults].map((each) => each?.close()));
});

// no test leaves an argument, token or secret in the log
afterEach(() => {
  for (const secret of [canary, 'canary-token', token]) {
    if (app.logged().includes(secret)) throw new Error(`"${secret}" is in the log`);
  }
});

type Line = Record<string, unknown> & { msg: string };
const lines = (msg: string): Line[] =>
  app
    .logged()
    .split('\n')
    .filter((text) => text !== '')
    .map((text): Line => JSON.parse(text))
    .filter((line) => line.msg === msg);

async function scrape(): Promise<{ text: string; valueOf(series: string): number | undefined }> {
  const answer = await fetch(`http://127.0.0.1:${metricsPort}/metrics`);
  expect(answer.status).toBe(200);
  const text = await answer.text();
  return {
    text,
    valueOf(series) {
      const line = text.split('\n').find((each) => each.startsWith(`${series} `));
      return line === undefined ? undefined : Number(line.slice(series.length + 1));
    },
  };
}

test('a deployment leaves a line', () => {
  const deployed = lines('server deployed').filter(({ server }) => server === 'good');
  expect(deployed).toMatchObject([{ level: 30, version: '1.0.0' }]);
});

test('a server that goes down leaves a log line per cause, and one with the duration when it comes back', async () => {
  const ofAway = (msg: string) => lines(msg).filter(({ server }) => server === 'away');
  await proxy.stop();
  const reasons = () => ofAway('upstream down').map(({ reason }) => String(reason));
  await waitUntil('the line', () => reasons().some((reason) => reason.includes('ECONNREFUSED')));
  expect(ofAway('upstream down').at(-1)).toMatchObject({
    level: 30,
    server: 'away',
    status: 'disconnected',
    cause: expect.stringMatching(/^The server/),
    reason: expect.stringMatching(/^connect ECONNREFUSED /),
  });
  const health = getHealth.answer.parse(await (await fetch(`${app.publicUrl}/mcp/health`)).json());
  expect(health).toMatchObject({ status: 'healthy', serversDown: 1, connections: { connected: 2 } });
  const metrics = await scrape();
  expect(metrics.valueOf('souk_upstream_up{server="away"}')).toBe(0);
  expect(metrics.valueOf('souk_upstreams{state="down"}')).toBe(1);
  expect(metrics.valueOf('souk_upstreams{state="up"}')).toBe(2);
  // it stays down for another reason: another program listens at its port. A closed connection would not be another
  // reason: the check that ran when the proxy stopped has reported that one
  const other = createServer((_request, response) => response.writeHead(404).end('Another program'));
  other.listen(proxy.port, '127.0.0.1');
  await once(other, 'listening');
  await waitUntil('the other reason', () => reasons().some((reason) => reason.includes('404')));
  const closed = once(other, 'close');
  other.close();
  other.closeAllConnections();
  await closed;
  await proxy.resume();
  await waitUntil('the line', () => ofAway('upstream up').length === 1);
  expect(ofAway('upstream up')).toMatchObject([{ level: 30, server: 'away', downSeconds: expect.any(Number) }]);
  // each reason once, however many attempts
  expect(new Set(reasons()).size).toBe(reasons().length);
  const after = getHealth.answer.parse(await (await fetch(`${app.publicUrl}/mcp/health`)).json());
  expect(after.serversDown).toBe(0);
});

test('a server whose discovery fails at each check is reported once', async () => {
  const before = faults.requests.length;
  await deployManifest(app, { id: 'page', connection: { type: 'http', url: faults.url('html', 'always') } }, 'error');
  // as a new server it is queried at each check
  await waitUntil('it to be queried again', () => faults.requests.length > before + 8);
  expect(lines('upstream down').filter(({ server }) => server === 'page')).toHaveLength(1);
  expect(
    app
      .logged()
      .split('\n')
      .filter((line) => line.includes('discovery failed') && line.includes('"page"')),
  ).toHaveLength(1);
  await app.catalogue.undeploy('page', { via: 'command' });
});

/** Collects the lines of one kind from here on, and the number of events in them and in those that count the rest. */
function linesFromHere(one: string, more: string) {
  const [ones, mores] = [lines(one).length, lines(more).length];
  const each = () => lines(one).slice(ones);
  const rest = () => lines(more).slice(mores);
  return { each, rest, told: () => rest().reduce((sum, line) => sum + Number(line['leftOut']), each().length) };
}

test('failed calls leave a log line without arguments, ten per second, and then their number', async () => {
  const { each, rest, told } = linesFromHere('call failed', 'more calls failed');
  const calls = Array.from({ length: 40 }, () =>
    client.callTool({ name: 'broken__call', arguments: { text: canary } }),
  );
  await Promise.all(calls);
  await waitUntil('all to be notified', () => told() === 40);
  expect(each().length).toBeLessThanOrEqual(20);
  expect(rest().length).toBeGreaterThanOrEqual(1);
  expect(each()[0]).toMatchObject({
    level: 30,
    server: 'broken',
    tool: 'call',
    callId: expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
  // only the first: once the circuit is open, calls fail before the server is contacted
  expect(lines('call failed')[0]).toMatchObject({ code: 'bad_upstream' });
  await app.usage.flush();
  const { rows } = await app.db.query(`select 1 from usage_events where call_id = $1`, [each()[0]?.['callId']]);
  expect(rows).toHaveLength(1);
});

test('refused calls leave a log line, ten per second, and then their number', async () => {
  const { each, rest, told } = linesFromHere('call refused', 'more calls were refused');
  const refused = () => client.callTool({ name: 'good__nothing', arguments: { text: canary } }).catch(() => {});
  await Promise.all(Array.from({ length: 40 }, refused));
  await waitUntil('all to be notified', () => told() === 40);
  expect(rest().length).toBeGreaterThanOrEqual(1);
  expect(each()[0]).toMatchObject({ level: 30, code: 'unknown' });
});

test('refusals leave a log line: of an invalid token, of a user who may not sign in', async () => {
  await fetch(`${app.publicUrl}/mcp`, { method: 'POST' });
  await fetch(`${app.publicUrl}/mcp`, { method: 'POST', headers: { authorization: 'Bearer souk_pat_canary-token' } });
  expect(lines('request refused')).toMatchObject([{ level: 30, code: 'invalid_token', address: '127.0.0.1' }]);

  await new ScriptedBrowser(app.publicUrl).signInWeb({ email: 'mallory@evil.test' }).catch(() => {});
  expect(lines('sign-in refused')).toMatchObject([
    { level: 30, provider: 'google', reason: 'SIGN_IN_ALLOW does not name the e-mail address' },
  ]);
  await new ScriptedBrowser(app.publicUrl).signInWeb({ email: 'ann@souk.test' });
  expect(lines('signed in')).toMatchObject([{ level: 30, provider: 'dev', userId }]);
});

test('/metrics counts calls by outcome and server, and shows the state of the process', async () => {
  await app.usage.flush();
  const before = await scrape();
  await client.callTool({ name: 'good__echo', arguments: { text: canary } });
  for (let count = 0; count < 2; count++) await client.callTool({ name: 'broken__call', arguments: { text: canary } });
  for (let count = 0; count < 3; count++) await client.callTool({ name: 'good__nothing' }).catch(() => {});
  await app.usage.flush();
  const metrics = await scrape();
  const more = (...all: string[]) =>
    all.reduce((sum, series) => sum + (metrics.valueOf(series) ?? 0) - (before.valueOf(series) ?? 0), 0);
  expect(more('souk_calls_total{server="good",outcome="ok"}')).toBe(1);
  const ofBroken = (outcome: string) => `souk_calls_total{server="broken",outcome="${outcome}"}`;
  expect(more(ofBroken('failed'), ofBroken('refused'))).toBe(2);
  expect(more('souk_calls_total{server="none",outcome="refused"}')).toBe(3);
  expect(more('souk_call_duration_seconds_count{server="good"}')).toBe(1);
  expect(metrics.valueOf('souk_breakers{state="closed"}')).toBeGreaterThanOrEqual(2);
  expect(metrics.valueOf('souk_calls_in_flight')).toBe(0);
  expect(metrics.valueOf('souk_calls_waiting')).toBe(0);
  expect(metrics.valueOf('souk_upstream_connections')).toBeGreaterThanOrEqual(1);
  expect(metrics.valueOf('souk_programs')).toBe(0);
  expect(metrics.valueOf('souk_usage_rows_waiting')).toBe(0);
  expect(metrics.valueOf('souk_database_up')).toBe(1);
  expect(metrics.valueOf('souk_disk_free_bytes')).toBeGreaterThan(1e6);
  expect(metrics.valueOf('souk_payment_events{state="waiting"}')).toBe(0);
  expect(metrics.valueOf('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0);
  expect(metrics.valueOf('process_resident_memory_bytes')).toBeGreaterThan(1e6);
  expect(metrics.text).not.toContain(userId);
  expect(metrics.text).not.toContain('ann@souk.test');
});

test('alerts, the dashboard and their page name only figures that /metrics serves', async () => {
  const { text } = await scrape();
  const served = new Set([...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name));
  // only with BACKUP_DIR (own-backups.test.ts)
  served.add('souk_backup_age_seconds');
  const root = join(import.meta.dirname, '../../../..');
  for (const file of ['deploy/alerts.yaml', 'deploy/grafana/souk.json', 'docs/deploy/monitoring.md']) {
    const named = (await readFile(join(root, file), 'utf8')).match(/\b(?:souk|nodejs|process)_[a-z0-9_]+/g) ?? [];
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((name) => !served.has(name.replace(/_bucket$/, '')))).toEqual([]);
  }
});

test('a server that is removed leaves a log line', async () => {
  await deployManifest(app, { id: 'short', connection: { type: 'http', url: fixture.url } });
  await app.catalogue.undeploy('short', { via: 'command' });
  const undeployed = lines('server undeployed').filter(({ server }) => server === 'short');
  expect(undeployed).toMatchObject([{ level: 30 }]);
});

test('that port serves only /metrics, and only on loopback', async () => {
  for (const path of ['/', '/mcp', '/metrics/', '/metrics?x=1']) {
    expect((await fetch(`http://127.0.0.1:${metricsPort}${path}`)).status).toBe(404);
  }
  expect((await fetch(`http://127.0.0.1:${metricsPort}/metrics`, { method: 'POST' })).status).toBe(404);
  expect((await fetch(`${app.publicUrl}/metrics`)).status).toBe(404);
  await expect(fetch(`http://127.0.0.2:${metricsPort}/metrics`)).rejects.toThrow('fetch failed');
});

test('a silent connection to that port is closed', async () => {
  const silent = connect(metricsPort, '127.0.0.1');
  silent.on('error', () => {}).resume();
  // Node itself checks for them twice a minute
  await limitElapsed(20_000, async () => silent.closed || once(silent, 'close'), { scales: 'none' });
  expect(silent.closed).toBe(true);
});
