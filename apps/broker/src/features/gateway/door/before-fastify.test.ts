import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { startAnsweringServer, type AnsweringServer } from '../fast-path/testing/answering-server.ts';

// Calls of known clients are served before fastify sees them: however they are sent, they are answered, and all other
// requests are answered as usual.

let server: AnsweringServer;
let app: TestApp;
let token: string;

beforeAll(async () => {
  const body =
    '{"jsonrpc":"2.0","id":ID,"result":{"resultType":"complete","content":[{"type":"text","text":"hello"}]}}';
  server = await startAnsweringServer('modern', { text: { body } });
  app = await startTestApp({ allowAddresses: [server.address] });
  ({ token } = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' }));
  await deployManifest(app, { id: 'far', connection: { type: 'http', url: server.url } });
  // the client is known from here on
  await exchange([requestOf(callOf('far__say'))]);
});
afterAll(async () => {
  await app?.stop();
  await server?.close();
});

const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

function callOf(name: string, pad = ''): string {
  const params = { name, arguments: { what: 'text', pad }, _meta: envelope };
  return JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params });
}

function requestOf(body: string, { headers = {}, name = 'far__say', path = '/mcp' } = {}): string {
  const all = {
    host: new URL(app.publicUrl).host,
    authorization: `Bearer ${token}`,
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': name,
    ...headers,
  };
  const lines = Object.entries(all).map(([key, value]) => `${key}: ${value}\r\n`);
  return `POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

const hello = '"text":"hello"';

/** Sends the pieces, each in its own packet, and returns everything that was received once `awaited` was. */
async function exchange(pieces: readonly string[], awaited: string | RegExp = hello): Promise<string> {
  const socket: Socket = connect({ host: '127.0.0.1', port: Number(new URL(app.publicUrl).port), noDelay: true });
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
  try {
    for (const piece of pieces) {
      await new Promise<void>((resolve) => socket.write(piece, () => resolve()));
      // written is not read: the broker has this piece once it has answered another request
      await fetch(`${app.publicUrl}/healthz`);
    }
    await waitUntil('the answer', async () => text.search(awaited) !== -1);
    return text;
  } finally {
    socket.destroy();
  }
}

test('a call in one packet is answered with the usual headers', async () => {
  const answer = await exchange([requestOf(callOf('far__say'))]);
  expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  expect(answer).toMatch(/^x-request-id: [0-9a-f-]{36}\r$/m);
  expect(answer).toMatch(/^x-content-type-options: nosniff\r$/m);
  expect(answer).toContain(hello);
});

test('a call whose body comes in pieces is answered like one that came whole', async () => {
  const whole = requestOf(callOf('far__say', 'x'.repeat(100_000)));
  const head = whole.indexOf('\r\n\r\n') + 4;
  const pieces = [whole.slice(0, head), whole.slice(head, head + 10), whole.slice(head + 10)];
  expect(await exchange(pieces)).toContain(hello);
});

test('two sequential calls on one connection are both answered', async () => {
  const call = requestOf(callOf('far__say'));
  const answer = await exchange([call, call], /"text":"hello"[^]*"text":"hello"/);
  expect(answer.match(/HTTP\/1\.1 200/g)).toHaveLength(2);
});

test('a request that is not an ordinary call is answered by the slower path, whole or in pieces', async () => {
  const whole = requestOf(callOf('far__nothing'), { name: 'far__nothing' });
  const head = whole.indexOf('\r\n\r\n') + 4;
  for (const pieces of [[whole], [whole.slice(0, head), whole.slice(head, -5), whole.slice(-5)]]) {
    expect(await exchange(pieces, 'Unknown tool: far__nothing')).toMatch(/^HTTP/);
  }
});

test.each([
  ['a foreign origin', { origin: 'https://evil.example' }, 403],
  ['a foreign host', { host: 'evil.example' }, 403],
  ['an invalid token', { authorization: 'Bearer nothing' }, 401],
])('a call of a known client with %s is refused', async (_what, headers, status) => {
  const answer = await exchange([requestOf(callOf('far__say'), { headers })], '\r\n\r\n');
  expect(answer).toContain(`HTTP/1.1 ${status} `);
});

test("a server's own link serves its tools under their own names", async () => {
  const path = '/s/far/mcp';
  const call = requestOf(callOf('say'), { name: 'say', path });
  await exchange([call]);
  expect(await exchange([call])).toContain(hello);
});
