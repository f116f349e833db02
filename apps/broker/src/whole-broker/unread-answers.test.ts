import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { startListServer } from '#features/catalogue/testing/list-server.ts';
import { startEndingServer, type EndingServer } from '../features/gateway/call/testing/ending-server.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { modernRequest } from '#testing/people/modern-request.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import type { UnreadLimits } from '#platform/http/connections/unread-answers.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';

const mebibyte = 1024 * 1024;
/** Unlimited patience, for tests of other limits. */
const patient = { patienceMs: 600_000 };
let app: TestApp;
let server: EndingServer;
const open: Socket[] = [];
/** Broker's end of each connection, by the client's port. */
const atBroker = new Map<number, Socket>();

beforeEach(async () => {
  server = await startEndingServer('modern');
});
afterEach(async () => {
  for (const socket of open.splice(0)) socket.destroy();
  atBroker.clear();
  await app?.stop();
  await server?.close();
});

async function start(unread: Partial<UnreadLimits>, env: NodeJS.ProcessEnv = {}, others: string[] = []): Promise<void> {
  app = await startTestApp({
    allowAddresses: [server.address, ...others],
    env: { ...withoutHealthChecks, ...env },
    unread,
  });
  app.server.server.on('connection', (socket) => atBroker.set(Number(socket.remotePort), socket));
  await deployManifest(app, { id: 'large', connection: { type: 'http', url: server.url } });
}
const tokenOf = async (email: string) =>
  (await new ScriptedBrowser(app.publicUrl).signInMcpClient({ email })).accessToken;

/** Sends a request as `fetch` would, and reads no more of the response than its beginning. */
function sendUnread(path: string, { headers, body }: { headers: Record<string, string>; body: string }): Socket {
  const { host, port } = new URL(app.publicUrl);
  const socket = connect(Number(port), '127.0.0.1');
  open.push(socket);
  socket.on('error', () => {});
  socket.once('data', () => socket.pause());
  const all = { ...headers, host, 'content-length': String(body.length) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
  return socket;
}

const callOf = (token: string, end = 'large') => {
  const { headers, body } = modernRequest(token, 'tools/call', { name: 'large__say', arguments: { end } });
  return { headers: headers as Record<string, string>, body: String(body) };
};
async function call(token: string, end: string): Promise<string> {
  const { headers, body } = callOf(token, end);
  const answer = await fetch(`${app.publicUrl}/mcp`, { method: 'POST', headers, body });
  return answer.text();
}

const hasBegun = (socket: Socket) => waitUntil('the response has begun', () => socket.bytesRead > 0);

/** Sequentially requests this many large responses on connections that read nothing. */
async function leaveUnread(token: string, count: number): Promise<Socket[]> {
  const sockets: Socket[] = [];
  for (let each = 0; each < count; each++) {
    const socket = sendUnread('/mcp', callOf(token));
    await hasBegun(socket);
    sockets.push(socket);
  }
  return sockets;
}

const isEnded = (socket: Socket) => socket.destroyed || atBroker.get(Number(socket.localPort))?.destroyed === true;

test('a connection that does not read its response is closed; one that reads slowly, and one with nothing to read, stay', async () => {
  const patienceMs = 10_000;
  await start({ patienceMs });
  const token = await tokenOf('ann@souk.test');
  const { accessToken } = await new ScriptedBrowser(app.publicUrl).signInWeb({ email: 'ann@souk.test' });
  const idle = sendUnread('/mcp', callOf(token, 'wait'));
  const [slow] = await leaveUnread(token, 1);
  // reading all of it takes longer than the patience, however small the pieces are
  slow?.on('data', ({ length }) => {
    slow.pause();
    setTimeout(() => slow.resume(), (length / mebibyte) * (patienceMs / 5));
  });
  slow?.resume();
  const silent = await leaveUnread(token, 2);
  const run = sendUnread('/api/tool-runs', {
    headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ serverId: 'large', tool: 'say', arguments: { end: 'large' } }),
  });
  await hasBegun(run);
  await waitUntil('the silent ones are ended', () => [...silent, run].every(isEnded));
  await waitUntil('the slow one has all', () => Number(slow?.bytesRead) > 6 * mebibyte);
  expect([slow && isEnded(slow), isEnded(idle)]).toEqual([false, false]);
});

const unreadText = 'Too much of your earlier answers is still unread.';

test('a user who leaves too much unread gets no more until it is read; others do', async () => {
  await start({ ...patient, bytesOfPerson: 8 * mebibyte });
  const [ann, bob] = [await tokenOf('ann@souk.test'), await tokenOf('bob@souk.test')];
  const sockets = await leaveUnread(ann, 4);
  const asked = server.requests;
  const refused = await call(ann, 'ok');
  expect(refused).toContain(unreadText);
  expect(refused).toContain('"souk/code":"busy"');
  expect(server.requests).toBe(asked);
  expect(await call(bob, 'ok')).toContain('"done"');
  for (const socket of sockets) socket.resume();
  await waitUntil('calls are answered again', async () => (await call(ann, 'ok')).includes('"done"'));
});

test('the total of all unread responses is limited too', async () => {
  await start({ ...patient, bytesOfAll: 8 * mebibyte });
  const [ann, bob] = [await tokenOf('ann@souk.test'), await tokenOf('bob@souk.test')];
  const sockets = await leaveUnread(ann, 4);
  expect(await call(bob, 'ok')).toContain(unreadText);
  for (const socket of sockets) socket.destroy();
  await waitUntil('calls are answered again', async () => (await call(bob, 'ok')).includes('"done"'));
});

test('a call keeps its slot among those of its user until its response was read', async () => {
  await start(patient, { MCP_IN_FLIGHT_USER: '3' });
  const [ann, bob] = [await tokenOf('ann@souk.test'), await tokenOf('bob@souk.test')];
  const [first] = await leaveUnread(ann, 3);
  expect(await call(ann, 'ok')).toContain('is busy with other calls');
  expect(await call(bob, 'ok')).toContain('"done"');
  const isDone = async (answer: Promise<string>) => (await answer).includes('"done"');
  const waiting = call(ann, 'ok');
  first?.resume();
  // it waits at most 2 s, in which a busy machine may not have read everything
  if (!(await isDone(waiting))) await waitUntil('its slot is free', () => isDone(call(ann, 'ok')));
});

/** Reads the catalog as a visitor who reads no more than its beginning. */
function visit(from: string): Socket {
  const { host, port } = new URL(app.publicUrl);
  const socket = connect({ port: Number(port), host: '127.0.0.1', localAddress: from });
  open.push(socket);
  socket.on('error', () => {});
  socket.once('data', () => socket.pause());
  socket.write(`GET /mcp/tools HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
  return socket;
}

test("unread responses of visitors close their own connections, and no user's call waits for them", async () => {
  const description = 'x'.repeat(60_000);
  const tools = Array.from({ length: 60 }, (_, index) => ({
    name: `t${index}`,
    description,
    inputSchema: { type: 'object' },
  }));
  const many = await startListServer('modern', { tools });
  onTestFinished(() => many.close());
  const bounds = { shared: [], bytesOfAddress: 4 * mebibyte, bytesOfAll: mebibyte / 4 };
  await start({ ...patient, ...bounds }, {}, [many.address]);
  const ann = await tokenOf('ann@souk.test');
  // the list of all tools is larger than what the kernel buffers for a connection
  for (const id of ['many', 'more']) await deployManifest(app, { id, connection: { type: 'http', url: many.url } });
  const visitors: Socket[] = [];
  await waitUntil('a connection of the address is ended', async () => {
    const next = visit('127.0.0.2');
    visitors.push(next);
    await waitUntil('it is answered or ended', () => next.bytesRead > 0 || isEnded(next));
    return visitors.some(isEnded);
  });
  expect(visitors.length, 'the first ones were answered').toBeGreaterThan(1);
  const other = visit('127.0.0.3');
  await hasBegun(other);
  expect(isEnded(other)).toBe(false);
  expect(await call(ann, 'ok')).toContain('"done"');
});
