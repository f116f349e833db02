import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import {
  ownSession,
  startForgetfulServer,
  type ForgetfulServer,
  type Loss,
} from '#testing/servers/forgetful-server.ts';
import { postModern } from '#testing/people/mcp-clients.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { takeUsageRows } from '#testing/figures/usage-rows.ts';
import { waitUntil } from '#testing/wait-until.ts';

// Servers report lost sessions in many ways. If the call has not run, the user does not notice.

const isolations = ['shared', 'perUser'] as const;
type Isolation = (typeof isolations)[number];
const ways = ['fast', 'sdk'] as const;
type Way = (typeof ways)[number];

let app: TestApp;
let token: string;
const servers = new Map<Isolation, ForgetfulServer>();
beforeAll(async () => {
  for (const isolation of isolations) servers.set(isolation, await startForgetfulServer());
  const allowAddresses = [...servers.values()].map(({ address }) => address);
  const env = { MCP_CALLS_PER_MINUTE_TOKEN: '100000', MCP_CALLS_PER_MINUTE_USER: '100000' };
  app = await startTestApp({ allowAddresses, env: { ...withoutHealthChecks, ...env } });
  for (const [isolation, { url }] of servers) {
    await deployManifest(app, { id: isolation.toLowerCase(), isolation, connection: { type: 'http', url } });
  }
  ({ token } = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' }));
});
afterAll(async () => {
  await app?.stop();
  await Promise.all([...servers.values()].map((server) => server.close()));
});

function serverOf(isolation: Isolation): ForgetfulServer {
  const server = servers.get(isolation);
  if (!server) throw new Error('it was not started');
  return server;
}

async function call(isolation: Isolation, way: Way, tool: string) {
  const name = `${isolation.toLowerCase()}__${tool}${way === 'sdk' ? '_sdk' : ''}`;
  return (await postModern(`${app.publicUrl}/mcp`, token, 'tools/call', { name })).body;
}

const named = (way: Way, tool: string) => (way === 'sdk' ? `${tool}_sdk` : tool);
const ran = (way: Way, tool: string) => ({ result: { content: [{ text: `${named(way, tool)} ran` }] } });

const cases = isolations.flatMap((isolation) => ways.map((way) => ({ isolation, way })));

beforeEach(async () => {
  // each test begins with an open connection
  for (const { isolation, way } of cases) await call(isolation, way, 'look');
  for (const server of servers.values()) server.ran.length = 0;
  await takeUsageRows(app);
});

const notFound = { code: -32_001, message: 'Session not found' };
const refusals: Readonly<Record<string, Loss>> = {
  'HTTP 404': { status: 404, error: notFound },
  'HTTP 404 without words': { status: 404, text: '' },
  'HTTP 410': { status: 410, text: 'Gone' },
  'HTTP 400': { status: 400, error: { code: -32_000, message: 'Bad Request: No valid session ID provided' } },
  'HTTP 400, in plain text': { status: 400, text: 'Invalid or missing session ID' },
  'an error inside HTTP 200': { error: notFound },
  'an error in an event': { isEvent: true, error: { code: -32_000, message: 'MCP error -32000: session expired' } },
  'an error without an id': { isWithoutId: true, error: { code: -32_600, message: 'Unknown session' } },
  'an event without an id': { isWithoutId: true, isEvent: true, error: notFound },
};

/** Each refusal on each path, which decides how it is read; the other tests cover both isolations. */
const lostCases = Object.keys(refusals).flatMap((how, index) =>
  ways.map((way) => ({ how, way, isolation: isolations[index % 2] ?? 'shared' })),
);
test.each(lostCases)(
  'a lost session is reopened, and the call sent once more: $how, $isolation, $way',
  async ({ isolation, way, how }) => {
    const server = serverOf(isolation);
    const { opened, refused } = server;
    server.lose(refusals[how] ?? {});
    expect(await call(isolation, way, 'send')).toMatchObject(ran(way, 'send'));
    expect(await call(isolation, way, 'send')).toMatchObject(ran(way, 'send'));
    expect(server.ran).toEqual([named(way, 'send'), named(way, 'send')]);
    expect([server.opened - opened, server.refused - refused]).toEqual([1, 1]);
    const rows = await takeUsageRows(app);
    expect(rows.map(({ outcome }) => outcome)).toEqual(['ok', 'ok']);
  },
);

const internal: Loss = { error: { code: -32_603, message: 'Session expired' } };

test.each(cases)(
  'a call with an internal error may have run: only idempotent calls are sent again: $isolation, $way',
  async ({ isolation, way }) => {
    const server = serverOf(isolation);
    for (const tool of ['look', 'set']) {
      server.lose(internal);
      expect(await call(isolation, way, tool), tool).toMatchObject(ran(way, tool));
    }
    expect(server.ran).toEqual([named(way, 'look'), named(way, 'set')]);

    const { opened, refused } = server;
    server.lose(internal);
    expect(await call(isolation, way, 'send')).toMatchObject({ error: internal.error });
    expect([server.opened - opened, server.refused - refused]).toEqual([0, 1]);
    // the next call has its own session
    expect(await call(isolation, way, 'send')).toMatchObject(ran(way, 'send'));
    expect([server.opened - opened, server.refused - refused]).toEqual([1, 1]);
    const [failed] = (await takeUsageRows(app)).filter(({ outcome }) => outcome !== 'ok');
    expect(failed).toMatchObject({ outcome: 'error', reason: 'protocol_error', credits: 0 });
  },
);

test.each(cases)('a timeout of SDK 1.x is not a lost session: $isolation, $way', async ({ isolation, way }) => {
  const server = serverOf(isolation);
  const { opened, refused } = server;
  const error = { code: -32_001, message: 'Request timed out' };
  server.lose({ error });
  for (const tool of ['look', 'send']) expect(await call(isolation, way, tool), tool).toMatchObject({ error });
  expect([server.opened - opened, server.refused - refused]).toEqual([0, 2]);
  server.lose(refusals['HTTP 404'] ?? {});
});

test.each(cases)(
  'application sessions of a server are its own: its errors are forwarded, and no circuit opens: $isolation, $way',
  async ({ isolation, way }) => {
    const server = serverOf(isolation);
    for (let count = 0; count < 6; count++) {
      expect(await call(isolation, way, 'own')).toMatchObject({ error: ownSession });
    }
    expect(server.ran).toHaveLength(12);
    expect(app.upstreams.pool.isCircuitOpen(isolation.toLowerCase())).toBe(false);
    expect(await call(isolation, way, 'look')).toMatchObject(ran(way, 'look'));
  },
);

test.each(cases)(
  'of two calls that lost one session, the second keeps the new session of the first: $isolation, $way',
  async ({ isolation, way }) => {
    const server = serverOf(isolation);
    const { opened } = server;
    server.hold();
    onTestFinished(server.release);
    const first = call(isolation, way, 'send');
    await waitUntil('the first call', () => server.held.length === 1);
    const second = call(isolation, way, 'send');
    await waitUntil('the second call', () => server.held.length === 2);
    server.lose(refusals['HTTP 404'] ?? {});
    server.held[0]?.answer();
    await waitUntil('the first call in a new session', () => server.held.length === 3);
    server.held[1]?.answer();
    await waitUntil('the second call in a new session', () => server.held.length === 4);
    expect(server.opened - opened).toBe(1);
    for (const again of server.held.slice(2)) again.answer();
    expect(await first).toMatchObject(ran(way, 'send'));
    expect(await second).toMatchObject(ran(way, 'send'));
  },
);
