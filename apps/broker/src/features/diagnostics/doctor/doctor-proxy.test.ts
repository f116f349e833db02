import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Agent } from 'undici';
import { freePort } from '#testing/network/free-port.ts';
import { startTestApp } from '#testing/start-app.ts';
import { createTrustingDispatcher, startBrokenProxy, type BrokenProxy } from '../testing/broken-proxy.ts';
import { runDoctor } from './run-doctor.ts';

type TestApp = Awaited<ReturnType<typeof startTestApp>>;
let dispatcher: Agent;
let proxy: BrokenProxy;
/** Two brokers behind a proxy that terminates TLS: one trusts it, the other does not. */
let trusting: TestApp;
let untrusting: TestApp;
const ports = { trusting: 0, untrusting: 0 };

beforeAll(async () => {
  dispatcher = createTrustingDispatcher();
  proxy = await startBrokenProxy({ tls: true });
  const start = async (name: keyof typeof ports, env: Record<string, string>) => {
    ports[name] = await freePort();
    return startTestApp({ env: { PUBLIC_URL: proxy.url, PORT: String(ports[name]), ...env } });
  };
  trusting = await start('trusting', { TRUST_PROXY: '127.0.0.1' });
  untrusting = await start('untrusting', {});
});
afterEach(() => {
  proxy.fault = {};
});
afterAll(async () => {
  await trusting?.stop();
  await untrusting?.stop();
  await proxy?.close();
  await dispatcher?.close();
});

type Headers = Parameters<NonNullable<BrokenProxy['fault']['inward']>>[0];
const good = (headers: Headers): Headers =>
  Object.assign(headers, { 'x-forwarded-for': '203.0.113.7', 'x-forwarded-proto': 'https' });

async function faultsOf(broker: keyof typeof ports, inward: (headers: Headers) => void) {
  proxy.targetPort = ports[broker];
  proxy.fault = { inward };
  const { checks } = await runDoctor({ baseUrl: proxy.url, clientName: 'x', nowMs: () => Date.now(), dispatcher });
  return checks
    .filter(({ status }) => status === 'failed')
    .map(({ id, detail, advice }) => `${id}: ${detail} ${advice}`);
}

test('a proxy that does everything right has no fault', async () => {
  expect(await faultsOf('trusting', good)).toEqual([]);
});

test('a proxy that drops the Host header is reported', async () => {
  const faults = await faultsOf('trusting', (headers) =>
    Object.assign(good(headers), { host: `127.0.0.1:${ports.trusting}` }),
  );
  expect(faults).toEqual([
    expect.stringMatching(/^public-url: The proxy does not pass the Host header on.*proxy_set_header Host \$http_host/),
  ]);
});

test('a proxy that TRUST_PROXY does not name is distinguished from one that it names', async () => {
  expect(await faultsOf('untrusting', good)).toEqual([
    expect.stringMatching(/^proxy: TRUST_PROXY is missing.*Set TRUST_PROXY to the address/),
  ]);
});

test('a proxy that does not forward the protocol, or forwards a wrong one, is reported', async () => {
  expect(await faultsOf('trusting', (headers) => delete good(headers)['x-forwarded-proto'])).toEqual([
    expect.stringMatching(
      /^proxy: The proxy does not send X-Forwarded-Proto:.*proxy_set_header X-Forwarded-Proto \$scheme/,
    ),
  ]);
  const wrong = await faultsOf('trusting', (headers) => Object.assign(good(headers), { 'x-forwarded-proto': 'http' }));
  expect(wrong).toEqual([expect.stringMatching(/^proxy: The proxy sends X-Forwarded-Proto: http, although/)]);
});

test("a proxy that does not forward the client's address is reported", async () => {
  expect(await faultsOf('trusting', () => {})).toEqual([
    expect.stringMatching(/^proxy: The proxy does not send X-Forwarded-For:/),
  ]);
  expect(await faultsOf('trusting', (headers) => delete good(headers)['x-forwarded-for'])).toEqual([
    expect.stringMatching(/^proxy: The proxy does not send X-Forwarded-For:/),
  ]);
});
