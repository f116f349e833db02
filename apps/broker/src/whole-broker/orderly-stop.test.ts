import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { limitElapsed } from '#testing/figures/limits.ts';
import { startHttpFixture, type HttpFixture } from '#testing/servers/mcp-fixture.ts';
import { modernRequest } from '#testing/people/modern-request.ts';
import { openSession } from '#testing/people/open-session.ts';
import { openStream } from '#testing/people/open-stream.ts';
import { startTestApp, withoutHealthChecks } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';

// docs/decisions/0064: what a proxy with several brokers sees when one of them stops

let fixture: HttpFixture;
beforeAll(async () => {
  fixture = await startHttpFixture('modern');
});
const open: Socket[] = [];
afterEach(() => {
  for (const socket of open.splice(0)) socket.destroy();
});
afterAll(() => fixture?.close());

/** Opens a connection as a proxy keeps it, and records everything received on it. */
async function connectTo(port: number) {
  const socket = connect(port, '127.0.0.1');
  open.push(socket);
  await once(socket, 'connect');
  const came = { text: '', isOver: false };
  socket.on('error', () => {});
  socket.on('data', (chunk) => (came.text += chunk.toString('latin1')));
  socket.on('close', () => (came.isOver = true));
  return { socket, came };
}

const isRefused = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket: Socket = connect(port, '127.0.0.1', () => resolve(!socket.destroy()));
    socket.on('error', (error) => resolve('code' in error && error.code === 'ECONNREFUSED'));
  });

const idle = 'GET /healthz HTTP/1.1\r\nHost: any\r\n\r\n';

test('a stop refuses only new connections, serves requests on existing ones, and lets streams end normally', async () => {
  const env = { ...withoutHealthChecks, DRAIN_GRACE_MS: '1000', PROXY_KEEP_ALIVE_MS: '600000' };
  const app = await startTestApp({ allowAddresses: [fixture.address], env });
  await deployManifest(app, { id: 'free', connection: { type: 'http', url: fixture.url } });
  const { token } = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' });
  const link = `${app.publicUrl}/mcp`;
  const port = Number(new URL(link).port);
  const [used, never, first, second] = await Promise.all([
    connectTo(port),
    connectTo(port),
    connectTo(port),
    connectTo(port),
  ]);
  for (const { socket } of [used, first, second]) socket.write(idle);
  await waitUntil('three answers', () => [used, first, second].every(({ came }) => came.text.includes('"ok"')));
  expect(used.came.text).toContain('Connection: keep-alive');
  const session = await openSession(link, token);
  const own = await openStream(link, { headers: { ...session, accept: 'text/event-stream' } });
  const listen = { notifications: { toolsListChanged: true } };
  const listening = await openStream(link, modernRequest(token, 'subscriptions/listen', listen));
  expect([own.status, listening.status]).toEqual([200, 200]);
  // running while the listener closes
  const slow = modernRequest(token, 'tools/call', { name: 'free__slow', arguments: { steps: 1, everyMs: 3_000 } });
  const slowly = fetch(link, slow);
  await waitUntil('it to be in progress', () => fixture.seen.requests.some(({ method }) => method === 'tools/call'));

  const commands: boolean[] = [];
  const stopping = app.stop(async () => void commands.push(await isRefused(port)));
  const graceSocket = await connectTo(port);
  graceSocket.socket.destroy();
  await waitUntil('new connections to be refused', () => isRefused(port));
  await Promise.all([own.ended, listening.ended]);
  expect(listening.messages().at(-1)).toMatchObject({ id: 1, result: { resultType: 'complete' } });
  expect((await slowly).headers.get('connection')).toBe('close');

  // a whole call on an idle connection, and one on a connection that was never used
  const { headers, body } = modernRequest(token, 'tools/call', { name: 'free__echo', arguments: { text: 'late' } });
  const head = Object.entries({ ...headers, host: new URL(link).host, 'content-length': String(body.length) });
  const call = `POST /mcp HTTP/1.1\r\n${head.map(([name, value]) => `${name}: ${value}`).join('\r\n')}\r\n\r\n${body}`;
  for (const { socket } of [first, never]) socket.write(call);
  for (const { came } of [first, never]) {
    await waitUntil('the response, and the end of its connection', () => came.isOver);
    expect(came.text).toMatch(/HTTP\/1\.1 200 OK[^]*Connection: close[^]*late/);
  }
  // the last one accepts a request for as long as a proxy may keep it
  expect([used.came.isOver, commands]).toEqual([false, []]);
  second.socket.write(call);
  await waitUntil('its response', () => second.came.isOver);
  expect(second.came.text).toContain('late');
  expect(used.came.isOver).toBe(false);
  // as if their time were over, including those that fetch keeps
  app.server.server.closeIdleConnections();
  await stopping;
  expect(commands).toEqual([true]);
});

test('a connection that a proxy keeps idle is closed when its time is over', async () => {
  const app = await startTestApp({ env: { PROXY_KEEP_ALIVE_MS: '1500' } });
  const { socket, came } = await connectTo(Number(new URL(app.publicUrl).port));
  socket.write(idle);
  await waitUntil('its response', () => came.text.includes('"ok"'));
  await app.stop();
  await waitUntil('its end', () => came.isOver);
  expect(came.isOver).toBe(true);
});

test('a stop does not wait for connections if no proxy keeps any', async () => {
  const app = await startTestApp();
  const { socket, came } = await connectTo(Number(new URL(app.publicUrl).port));
  socket.write(idle);
  await waitUntil('its response', () => came.text.includes('"ok"'));
  await limitElapsed(10_000, () => app.stop());
  await waitUntil('its end', () => came.isOver);
  expect(came.isOver).toBe(true);
});
