import { testConnection, type ConnectionCheck } from '@souk/contract/diagnostics.ts';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { freePort } from '#testing/network/free-port.ts';
import { runDoctor, type Diagnosis } from './run-doctor.ts';
import {
  createTrustingDispatcher,
  startBrokenProxy,
  type BrokenProxy,
  type ProxyFault,
} from '../testing/broken-proxy.ts';

let proxy: BrokenProxy;
let app: TestApp;
/** Time by which the broker's clock is ahead. */
let aheadMs = 0;

beforeAll(async () => {
  proxy = await startBrokenProxy();
  const port = await freePort();
  proxy.targetPort = port;
  app = await startTestApp({
    env: { PUBLIC_URL: proxy.url, PORT: String(port) },
    clock: { now: () => Date.now() + aheadMs },
  });
});
afterEach(() => {
  proxy.fault = {};
  aheadMs = 0;
});
afterAll(async () => {
  await app?.stop();
  await proxy?.close();
});

type Person = { id: string; accessToken: string };
let people = 0;

async function newPerson(): Promise<Person> {
  const { fault } = proxy;
  proxy.fault = {};
  const { accessToken } = await new ScriptedBrowser(proxy.url).signInWeb({ email: `patient-${people++}@souk.test` });
  const profile = await fetch(`${proxy.url}/v2/user/profile`, { headers: { authorization: `Bearer ${accessToken}` } });
  const { id }: { id: string } = JSON.parse(await profile.text());
  proxy.fault = fault;
  return { id, accessToken };
}

/**
 * Presses the button on the page, bypassing the proxy: a proxy that removes tokens would not let the request through.
 * The self-test itself uses PUBLIC_URL, and so the proxy.
 */
async function pressSelfTest(
  person: Person,
  options: {
    headers?: Record<string, string>;
    /** Time by which the browser is behind when the button is pressed. */ browserBehindMs?: number;
    userId?: string;
  } = {},
) {
  const answer = await app.server.inject({
    method: 'POST',
    url: `/api/users/${options.userId ?? person.id}/connections/self-test`,
    headers: {
      host: new URL(proxy.url).host,
      authorization: `Bearer ${person.accessToken}`,
      'content-type': 'application/json',
      origin: proxy.url,
      ...options.headers,
    },
    payload: JSON.stringify({ browserTimeMs: Date.now() + aheadMs - (options.browserBehindMs ?? 0) }),
  });
  return { status: answer.statusCode, body: answer.body };
}

/** Runs the self-test as a new user each time: a user may run it once in 10 s. */
async function selfTest(options: Parameters<typeof pressSelfTest>[1] = {}): Promise<Diagnosis> {
  const { status, body } = await pressSelfTest(await newPerson(), options);
  expect(status, body).toBe(200);
  return testConnection.answer.parse(JSON.parse(body));
}

const fromOutside = (baseUrl = proxy.url) =>
  runDoctor({ baseUrl, clientName: 'Doctor from outside', nowMs: () => Date.now() });

const faults = ({ checks }: Diagnosis): ConnectionCheck[] => checks.filter(({ status }) => status === 'failed');
/** A fault of this check with this text. Tests compare it with the list of faults, so there is no other fault. */
const fault = (id: string, detail: string | RegExp, advice: string) => ({
  id,
  detail: typeof detail === 'string' ? expect.stringContaining(detail) : expect.stringMatching(detail),
  advice: expect.stringContaining(advice),
});

test('a healthy installation has no fault, from inside with every check run, and from outside', async () => {
  const inside = await selfTest();
  expect(faults(inside)).toEqual([]);
  expect(inside.ok).toBe(true);
  expect(inside.checks.map(({ id, status }) => `${id}: ${status}`)).toEqual([
    'address: passed',
    'public-url: passed',
    'proxy: passed',
    'ready: passed',
    'well-known: passed',
    'metadata: passed',
    'challenge: passed',
    'registration: passed',
    'authorize: passed',
    'token-endpoint: passed',
    'keys: passed',
    'authorization-header: passed',
    'legacy-session: passed',
    'modern-requests: passed',
    'streams: passed',
    'clock-server: passed',
    'clock-browser: passed',
    'clock-database: passed',
    'clock-provider: passed',
    // not reported at a loopback address
    'client-documents: skipped',
  ]);
  const outside = await fromOutside();
  expect(faults(outside)).toEqual([]);
  expect(outside.checks.filter(({ status }) => status === 'skipped').map(({ id }) => id)).toEqual([
    'legacy-session',
    'modern-requests',
    'streams',
    'clock-browser',
    'clock-database',
    'clock-provider',
    'client-documents',
  ]);
});

test('a self-test leaves nothing behind: no token, no client, no attempt', async () => {
  const count = async (statement: string) => (await app.db.query<{ n: number }>(statement)).rows[0]?.n;
  const statements = [
    `select count(*)::int as n from personal_tokens`,
    `select count(*)::int as n from oauth_records where model = 'Client'`,
    `select count(*)::int as n from connection_attempts`,
  ];
  const before = await Promise.all(statements.map(count));
  await selfTest();
  expect(await Promise.all(statements.map(count))).toEqual(before);
});

test('a self-test runs once in ten seconds for a user, and other users are not limited by it', async () => {
  const [one, other] = [await newPerson(), await newPerson()];
  expect((await pressSelfTest(one)).status).toBe(200);
  expect((await pressSelfTest(one)).status).toBe(429);
  expect((await pressSelfTest(other, { userId: one.id })).status).toBe(404);
  expect((await pressSelfTest(other)).status).toBe(200);
  aheadMs += 10_001;
  expect((await pressSelfTest(one)).status).toBe(200);
});

test('a wrong PUBLIC_URL is reported: another name leads here, with and without its Host header', async () => {
  const second = await startBrokenProxy();
  second.targetPort = proxy.targetPort;
  const rewritten: ProxyFault = { inward: (headers) => (headers.host = new URL(proxy.url).host) };
  for (const broken of [{}, rewritten]) {
    second.fault = broken;
    expect(faults(await fromOutside(second.url))).toMatchObject([
      fault(
        'public-url',
        `Wrong PUBLIC_URL: the installation believes that it is ${proxy.url}, but users open ${second.url}.`,
        `Set PUBLIC_URL=${second.url} and restart`,
      ),
    ]);
  }
  const inside = await selfTest({ headers: { origin: second.url } });
  expect(faults(inside)).toMatchObject([fault('public-url', 'Wrong PUBLIC_URL', `Set PUBLIC_URL=${second.url}`)]);
  await second.close();
});

test('a PUBLIC_URL that leads nowhere, or to another server, is reported', async () => {
  const port = await freePort();
  expect(faults(await fromOutside(`http://localhost:${port}`))).toMatchObject([
    fault('address', `Nothing listens at localhost:${port}`, 'PUBLIC_URL'),
  ]);
  proxy.fault = {
    instead: (_request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end('<!doctype html><title>Parked</title>');
      return true;
    },
  };
  expect(faults(await fromOutside())).toMatchObject([
    fault('address', 'Something else answers at', 'Check that PUBLIC_URL is right'),
  ]);
});

test('a stripped Authorization header is reported', async () => {
  proxy.fault = { inward: (headers) => delete headers.authorization };
  const words = ['The Authorization header is removed on its way', 'pass the Authorization request header on'] as const;
  expect(faults(await selfTest())).toMatchObject([fault('authorization-header', ...words)]);
  expect(faults(await fromOutside())).toMatchObject([fault('authorization-header', ...words)]);
});

test('brokers behind one address that do not share their sessions are reported', async () => {
  let requests = 0;
  proxy.fault = {
    // every other request of a session reaches a broker that does not know it
    inward: (headers) => {
      // this proxy's connections to its brokers are separate
      delete headers.connection;
      if (headers['mcp-session-id'] !== undefined && ++requests % 2 === 1) headers['mcp-session-id'] = 'of-another';
    },
  };
  expect(faults(await selfTest())).toMatchObject([
    fault('legacy-session', 'they do not share their sessions', 'the same version, DATABASE_URL and MASTER_KEY'),
  ]);
});

test('a stripped WWW-Authenticate header is reported', async () => {
  proxy.fault = { outward: (headers) => delete headers['www-authenticate'] };
  const words = [
    'The WWW-Authenticate header is removed on its way',
    'pass the WWW-Authenticate response header',
  ] as const;
  expect(faults(await selfTest())).toMatchObject([fault('challenge', ...words)]);
  expect(faults(await fromOutside())).toMatchObject([fault('challenge', ...words)]);
});

test('http behind TLS is reported: a proxy terminates TLS, and PUBLIC_URL says http', async () => {
  const tls = await startBrokenProxy({ tls: true });
  const port = await freePort();
  tls.targetPort = port;
  const publicUrl = tls.url.replace('https:', 'http:');
  const behind = await startTestApp({ env: { PUBLIC_URL: publicUrl, PORT: String(port) } });
  const dispatcher = createTrustingDispatcher();
  const outside = await runDoctor({ baseUrl: tls.url, clientName: 'x', nowMs: () => Date.now(), dispatcher });
  expect(faults(outside)).toMatchObject([
    fault(
      'public-url',
      `http behind TLS: users open ${tls.url}, but PUBLIC_URL is ${publicUrl}.`,
      `Set PUBLIC_URL=${tls.url} and restart`,
    ),
  ]);
  await dispatcher.close();
  await behind.stop();
  await tls.close();
});

test('http behind TLS is reported by the self-test: the browser or the proxy says https, or http is redirected', async () => {
  const https = proxy.url.replace('http:', 'https:');
  const words = ['public-url', 'http behind TLS', `Set PUBLIC_URL=${https}`] as const;
  expect(faults(await selfTest({ headers: { origin: https } }))).toMatchObject([fault(...words)]);
  expect(faults(await selfTest({ headers: { 'x-forwarded-proto': 'https' } }))).toMatchObject([fault(...words)]);
  proxy.fault = {
    instead: (request, response) => {
      response.writeHead(301, { location: https + (request.url ?? '') }).end();
      return true;
    },
  };
  expect(faults(await fromOutside())).toMatchObject([fault('address', 'http behind TLS', `Set PUBLIC_URL=${https}`)]);
});

test('clock skew over 60 s is reported: server, browser, database and sign-in provider', async () => {
  proxy.fault = { outward: (headers) => (headers.date = new Date(Date.now() - 120_000).toUTCString()) };
  expect(faults(await fromOutside())).toMatchObject([
    fault('clock-server', 'Clock skew: the installation is 12', 'set its clock'),
  ]);
  proxy.fault = {};
  expect(faults(await selfTest({ browserBehindMs: 90_000 }))).toMatchObject([
    fault(
      'clock-browser',
      // a busy machine takes a moment between the press and the look
      /^Clock skew: your browser is 9\d s behind the clock here; at most 60 s are allowed\.$/,
      'Set the clock of your machine',
    ),
  ]);
  aheadMs = 120_000;
  const behind = await selfTest();
  expect(faults(behind).map(({ id }) => id)).toEqual(['clock-server', 'clock-database', 'clock-provider']);
  expect(faults(behind)[1]?.detail).toMatch(
    /^Clock skew: the database is 12\d s behind the clock here; at most 60 s are allowed\.$/,
  );
  expect(faults(behind)[2]?.detail).toContain('Clock skew: the sign-in provider is 12');
});

test('well-known paths that another program answers are reported', async () => {
  for (const path of ['/.well-known/oauth-protected-resource/mcp', '/.well-known/openid-configuration']) {
    proxy.fault = {
      instead(request, response) {
        if (request.url !== path) return false;
        response.writeHead(200, { 'content-type': 'text/html' }).end('<html><body>Welcome!</body></html>');
        return true;
      },
    };
    const words = [
      `Something else answers at ${path}: it gave a web page (200)`,
      'pass everything under /.well-known',
    ] as const;
    expect(faults(await selfTest())).toMatchObject([fault('well-known', ...words)]);
    expect(faults(await fromOutside())).toMatchObject([fault('well-known', ...words)]);
  }
});

test('a proxy that buffers streams is reported', async () => {
  proxy.fault = { buffers: true };
  expect(faults(await selfTest())).toMatchObject([
    fault('streams', 'its first event did not come within 3 s', 'Switch buffering'),
  ]);
});
