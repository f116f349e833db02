import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { heapInUse } from '#testing/figures/heap-in-use.ts';
import { limitFigure, limitTurn } from '#testing/figures/limits.ts';
import { postRaw } from '#testing/people/mcp-clients.ts';
import { startHttpFixture, type HttpFixture } from '#testing/servers/mcp-fixture.ts';
import { openSession } from '#testing/people/open-session.ts';
import { openStream } from '#testing/people/open-stream.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { startEndingServer, type EndingServer } from '../../call/testing/ending-server.ts';

let app: TestApp;
let fixture: HttpFixture;
let ending: EndingServer;
let token: string;

beforeAll(async () => {
  [fixture, ending] = await Promise.all([startHttpFixture('legacy'), startEndingServer('legacy')]);
  app = await startTestApp({ allowAddresses: [fixture.address, ending.address], env: withoutHealthChecks });
  await deployManifest(app, { id: 'old', connection: { type: 'http', url: fixture.url } });
  await deployManifest(app, { id: 'ending', connection: { type: 'http', url: ending.url } });
  ({ token } = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' }));
});
afterAll(async () => {
  await app?.stop();
  await Promise.all([fixture?.close(), ending?.close()]);
});

const link = () => `${app.publicUrl}/mcp`;

/** Opens a session whose client can be asked, so that every call uses the SDK. */
const openAskableSession = (revision: '2025-03-26' | '2025-06-18' | '2025-11-25', bearer = token) =>
  openSession(link(), bearer, { revision, capabilities: { roots: {} } });

const call = (id: number, name: string, given: object = { text: 'x' }) =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: given } });
const pings = JSON.stringify([
  { jsonrpc: '2.0', id: 1, method: 'ping' },
  { jsonrpc: '2.0', id: 2, method: 'ping' },
]);

test('batches are accepted in 2025-03-26, which has them, and refused since', async () => {
  expect((await postRaw(link(), pings, await openAskableSession('2025-03-26'))).status).toBe(200);
  for (const revision of ['2025-06-18', '2025-11-25'] as const) {
    const refused = await postRaw(link(), pings, await openAskableSession(revision));
    expect(refused.status).toBe(400);
    expect(refused.body.error?.code).toBe(-32600);
  }
});

test('a batch of 1 MiB is refused immediately', async () => {
  const session = await openAskableSession('2025-03-26');
  const batch = Array.from({ length: 24_000 }, (_, index) => ({ method: 'tools/call', id: `a${index}` }));
  const refused = async () => {
    const { status, body } = await postRaw(link(), JSON.stringify(batch), session);
    expect([status, body.error?.message]).toEqual([400, 'Invalid Request: a batch has at most 100 messages']);
  };
  await limitTurn(250, refused);
});

test('an id can be used by one request at a time; a canceled call ends its stream and frees it', async () => {
  const session = await openAskableSession('2025-11-25');
  const arrived = fixture.seen.requests.length;
  const hanging = postRaw(link(), call(7, 'old__hang'), session);
  await waitUntil('the call to arrive', () => fixture.seen.requests.length > arrived);
  const twice = await postRaw(link(), call(7, 'old__echo'), session);
  expect(twice.status).toBe(400);
  expect(twice.body).toMatchObject({ id: 7, error: { code: -32600 } });
  const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } };
  expect((await postRaw(link(), JSON.stringify(cancel), session)).status).toBe(202);
  // resolves when the stream has ended
  expect((await hanging).body.result).toBeUndefined();
  expect((await postRaw(link(), call(7, 'old__echo'), session)).body.result).toBeDefined();
});

test('a broken stream is resumed where it broke', async () => {
  const session = await openAskableSession('2025-11-25');
  const accept = 'application/json, text/event-stream';
  const response = await fetch(link(), {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept, 'mcp-protocol-version': '2025-11-25', ...session },
    body: call(9, 'ending__say', { end: 'wait' }),
  });
  const reader = response.body?.getReader();
  const first = new TextDecoder().decode((await reader?.read())?.value);
  const [, eventId] = /^id: (.+)$/m.exec(first) ?? [];
  expect(eventId).toBeDefined();
  expect(first).not.toContain('done');
  await reader?.cancel();
  await waitUntil('the server to have the call', () => ending.waiting === 1);
  const resumed = fetch(link(), {
    headers: { accept: 'text/event-stream', 'last-event-id': eventId ?? '', ...session },
  });
  ending.answerWaiting();
  expect(await (await resumed).text()).toContain('"done"');
});

test('a client that opens its stream again gets it, and the previous one ends', async () => {
  const session = await openAskableSession('2025-11-25');
  const listen = (accept = 'text/event-stream') => openStream(link(), { headers: { ...session, accept } });
  const first = await listen();
  // as when a proxy drops a connection unnoticed by this side
  const second = await listen();
  expect([first.status, second.status]).toEqual([200, 200]);
  await first.ended;
  // a request that cannot be a stream leaves it open
  expect((await listen('application/json')).status).toBe(406);
  expect(second.isOver()).toBe(false);
  onTestFinished(async () => {
    second.abort();
    await app.catalogue.undeploy('later', { via: 'command' });
  });
  await deployManifest(app, { id: 'later', connection: { type: 'http', url: fixture.url } });
  const heard = () => second.messages().map(({ method }) => method);
  await waitUntil('the new stream to be notified of the change', () =>
    heard().includes('notifications/tools/list_changed'),
  );
  expect(first.messages()).toEqual([]);
});

test('an unknown protocol version in the header is refused', async () => {
  const session = await openAskableSession('2025-11-25');
  const refused = await postRaw(link(), call(1, 'old__echo'), { ...session, 'mcp-protocol-version': '1999-01-01' });
  expect(refused.status).toBe(400);
});

test('an idle session takes at most 64 KiB', async () => {
  const count = 60;
  const openMany = async () => {
    const email = `${randomUUID()}@souk.test`;
    const one = await app.identity.createPersonalToken({ email, name: 'test' });
    for (let index = 0; index < count; index++) await openAskableSession('2025-11-25', one.token);
  };
  await openMany();
  expect(app.gateway.sessionCount()).toBeGreaterThanOrEqual(count);
  const measure = async () => {
    const before = heapInUse();
    await openMany();
    return (heapInUse() - before) / count / 1024;
  };
  await limitFigure(64, 'KiB a session', measure, { scales: 'none' });
});
