import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startEndingServer, type EndingServer } from '../features/gateway/call/testing/ending-server.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';

let app: TestApp;
let server: EndingServer;
let token: string;
const open: Socket[] = [];

beforeAll(async () => {
  server = await startEndingServer('modern');
  app = await startTestApp({ allowAddresses: [server.address], env: withoutHealthChecks });
  await deployManifest(app, { id: 'slow', connection: { type: 'http', url: server.url } });
  token = (await new ScriptedBrowser(app.publicUrl).signInMcpClient({})).accessToken;
});
afterEach(() => {
  for (const socket of open.splice(0)) socket.destroy();
  server.answerWaiting();
});
afterAll(async () => {
  await app?.stop();
  await server?.close();
});

const host = () => new URL(app.publicUrl).host;

/** Opens a connection, and records everything received on it. */
function connection() {
  const socket = connect(Number(new URL(app.publicUrl).port), '127.0.0.1');
  open.push(socket);
  const came = { text: '' };
  // a connection that is closed with unread data is reset
  socket.on('error', () => {});
  socket.on('data', (chunk) => (came.text += chunk.toString('latin1')));
  return { socket, came, answers: () => came.text.split('HTTP/1.1 ').length - 1 };
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: ${host()}\r\n\r\n`;

function call(id: number): string {
  const params = {
    name: 'slow__say',
    arguments: { end: 'wait' },
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params });
  const head = [
    'POST /mcp HTTP/1.1',
    `Host: ${host()}`,
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    'MCP-Protocol-Version: 2026-07-28',
    'Mcp-Method: tools/call',
    'Mcp-Name: slow__say',
    `Content-Length: ${body.length}`,
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

/** Waits for a request of another connection: by then all requests read before it have begun. */
const othersAreServed = async () => expect((await fetch(`${app.publicUrl}/healthz`)).status).toBe(200);

test('four of the requests that a client sends at a time are processed concurrently; the others follow in order', async () => {
  const { socket, came, answers } = connection();
  const ids = Array.from({ length: 12 }, (_, id) => id);
  socket.write(ids.map(call).join(''));
  for (let answered = 0; answered < ids.length; answered += 4) {
    await waitUntil('four are at work', () => server.waiting === 4);
    await othersAreServed();
    expect(server.waiting).toBe(4);
    expect(answers()).toBe(answered);
    server.answerWaiting();
    await waitUntil('they are answered', () => answers() === answered + 4);
  }
  const order = [...came.text.matchAll(/"jsonrpc":"2.0","id":(\d+)/g)].map(([, id]) => Number(id));
  expect(order).toEqual(ids);
});

test('among a thousand requests in one write other clients wait for a few, not for all; all are answered, and later ones too', async () => {
  const burst = connection();
  const other = connection();
  await Promise.all([burst, other].map(({ socket }) => once(socket, 'connect')));
  burst.socket.write(get('/healthz').repeat(1_000));
  await waitUntil('the first are answered', () => burst.answers() > 0);
  let answersMeanwhile = 0;
  other.socket.once('data', () => (answersMeanwhile = burst.answers()));
  other.socket.write(get('/healthz'));
  await waitUntil('the other is answered', () => answersMeanwhile > 0);
  expect(answersMeanwhile).toBeLessThan(900);
  await waitUntil('all are answered', () => burst.answers() === 1_000);
  burst.socket.write(get('/healthz'));
  await waitUntil('the connection continues', () => burst.answers() === 1_001);
  expect(burst.socket.destroyed).toBe(false);
});

test('a connection with more than 1,024 waiting requests is closed, and others continue', async () => {
  const { socket } = connection();
  const ended = once(socket, 'close');
  const asked = server.requests;
  socket.write(Array.from({ length: 4 }, (_, id) => call(id)).join(''));
  await waitUntil('four are at work', () => server.waiting === 4);
  // read completely before the pause takes effect, like one piece
  socket.write(get('/healthz').repeat(1_200));
  await ended;
  await othersAreServed();
  expect(server.requests - asked).toBe(4);
});

test('while requests wait nothing more is read from their connection', async () => {
  const { socket, answers } = connection();
  socket.write(Array.from({ length: 5 }, (_, id) => call(id)).join(''));
  await waitUntil('four are at work', () => server.waiting === 4);
  // far more than the kernel buffers for an unread connection, and fewer than a thousand in any piece of 64 KiB
  const large = get('/healthz').replace('\r\n', `\r\nX-Filling: ${'x'.repeat(12_000)}\r\n`);
  socket.write(large.repeat(850));
  await othersAreServed();
  expect(socket.writableLength).toBeGreaterThan(0);
  expect(socket.destroyed).toBe(false);
  server.answerWaiting();
  await waitUntil('the fifth is at work', () => server.waiting === 1);
  server.answerWaiting();
  await waitUntil('reading continues', () => answers() === 855);
});
