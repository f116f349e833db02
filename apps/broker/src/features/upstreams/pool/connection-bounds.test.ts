import { afterAll, beforeAll, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { postRaw, type RawAnswer } from '#testing/people/mcp-clients.ts';
import { startHttpFixture, type HttpFixture } from '#testing/servers/mcp-fixture.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { openPool } from '../testing/open-pool.ts';
import { testServer } from '../testing/test-server.ts';
import { capabilitiesFor, kindsOf } from './question-kinds.ts';

let server: HttpFixture;
let app: TestApp;
let token: string;

beforeAll(async () => {
  server = await startHttpFixture('legacy');
  app = await startTestApp({ allowAddresses: [server.address], env: withoutHealthChecks });
  await deployManifest(app, { id: 'old', connection: { type: 'http', url: server.url } });
  ({ token } = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' }));
});
afterAll(async () => {
  await app?.stop();
  await server?.close();
});

test('a client that keeps declaring new capabilities opens one connection per kind of question', async () => {
  const before = server.sessions;
  for (let round = 0; round < 30; round++) {
    const declared = { form: { [`new-${round}`]: round }, ...(round % 2 === 1 && { url: { [`other-${round}`]: {} } }) };
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': { elicitation: declared, [`x-${round}`]: {} },
    };
    const answer = await callEcho(meta);
    expect(answer.body.result?.['content']).toEqual([{ type: 'text', text: 'hi' }]);
  }
  expect(server.sessions - before).toBe(2);
});

function callEcho(meta: Record<string, unknown>): Promise<RawAnswer> {
  const params = { name: 'old__echo', arguments: { text: 'hi' }, _meta: meta };
  return postRaw(`${app.publicUrl}/mcp`, JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }), {
    authorization: `Bearer ${token}`,
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'old__echo',
  });
}

test('kinds of questions convert back to the capabilities they came from', () => {
  for (const elicitation of [undefined, { form: {} }, { url: {} }, { form: {}, url: {} }]) {
    for (const roots of [undefined, {}, { listChanged: true }]) {
      for (const sampling of [undefined, {}, { tools: {} }, { tools: {}, context: {} }]) {
        const all = { ...(elicitation && { elicitation }), ...(sampling && { sampling }), ...(roots && { roots }) };
        expect(capabilitiesFor(kindsOf(all)) ?? {}).toEqual(all);
      }
    }
  }
  // before modes existed this meant forms
  expect(capabilitiesFor(kindsOf({ elicitation: {} }))).toEqual({ elicitation: { form: {} } });
  expect(capabilitiesFor(kindsOf({ sampling: {}, roots: { listChanged: false } }))).toEqual({
    sampling: {},
    roots: {},
  });
  expect(capabilitiesFor(kindsOf({ experimental: { x: {} } }))).toBeUndefined();
});

test('connections are limited per user, per server and overall, and the longest idle make room', async () => {
  const others = [await startHttpFixture('legacy'), await startHttpFixture('legacy')];
  const { pool, time, close } = await openPool({
    allowAddresses: others.map(({ address }) => address),
    maxConnections: { perPerson: 2, perServer: 4, all: 6 },
  });
  const [one, two] = others.map(({ url }, index) =>
    testServer({ id: `server-${index}`, connection: { type: 'http', url }, isolation: 'perUser' }),
  );
  if (!one || !two) throw new Error('no servers');
  const use = async (at: typeof one, userId: string, capabilities = {}) => {
    time.pass(10);
    const lease = await pool.acquire(at, userId, { capabilities });
    await lease.upstream.ping(5000);
    return lease;
  };
  const [first, second] = others;
  // a user's third connection closes their first
  (await use(one, 'ann')).release();
  (await use(one, 'ann', { roots: {} })).release();
  (await use(one, 'ann', { sampling: {} })).release();
  await expect.poll(() => first?.sessions).toBe(2);
  // a server's fifth closes the one that was idle longest
  for (const person of ['bob', 'cleo', 'dan']) (await use(one, person)).release();
  await expect.poll(() => first?.sessions).toBe(4);
  // and so does the seventh overall
  for (const person of ['bob', 'cleo', 'dan']) (await use(two, person)).release();
  await expect.poll(() => (first?.sessions ?? 0) + (second?.sessions ?? 0)).toBe(6);
  // a connection in use is never closed
  const held = [await use(two, 'eve'), await use(two, 'eve', { roots: {} })];
  await expect(async () => use(two, 'eve', { sampling: {} })).rejects.toMatchObject({ kind: 'busy' });
  for (const { upstream, release } of held) {
    await upstream.ping(5000);
    release();
  }
  await close();
  await Promise.all(others.map((other) => other.close()));
});
