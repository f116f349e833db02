import { afterAll, beforeAll, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { startTellingServer, type TellingServer } from '../testing/telling-server.ts';

// Proxies close a connection that is idle for a minute.

let app: TestApp;
let server: TellingServer;
let token: string;

beforeAll(async () => {
  server = await startTellingServer('modern');
  app = await startTestApp({ allowAddresses: [server.address], keepAlive: { afterMs: 300, everyMs: 60 } });
  await deployManifest(app, { id: 'new', connection: { type: 'http', url: server.url } });
  ({ token } = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' }));
});
afterAll(async () => {
  await app?.stop();
  await server?.close();
});

const both = 'application/json, text/event-stream';

/** Starts a call of 2026-07-28 that ends when the test says so. */
function call(text: string, options: { tool?: string; accept?: string; capabilities?: object; meta?: object } = {}) {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': options.capabilities ?? {},
    ...options.meta,
  };
  const params = { name: `new__${options.tool ?? 'wait'}`, arguments: { text }, _meta: meta };
  return fetch(`${app.publicUrl}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: options.accept ?? both,
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': params.name,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params }),
  });
}

async function finish(text: string): Promise<void> {
  await waitUntil(`${text} is waiting`, () => server.waiting.has(text));
  server.waiting.get(text)?.();
}

/** Reads a stream to its end, and lets the call end after the third comment. */
async function readStream(answer: Response, text: string): Promise<{ comments: number; rest: string }> {
  let read = '';
  let isFinishing = false;
  for await (const chunk of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    read += chunk;
    if (isFinishing || read.split(': keepalive\n\n').length < 4) continue;
    isFinishing = true;
    await finish(text);
  }
  const rest = read.replaceAll(': keepalive\n\n', '');
  return { comments: (read.length - rest.length) / ': keepalive\n\n'.length, rest };
}

test.each([
  ['on the fast path', {}],
  ['of a client that can be asked', { capabilities: { elicitation: { form: {} } } }],
  ['through the SDK', { meta: { 'io.modelcontextprotocol/logLevel': 'error' } }],
])(
  'a call without a response becomes a stream with comments, and the response is its last event: %s',
  async (way, options) => {
    const answer = await call(way, options);
    expect(answer.headers.get('content-type')).toBe('text/event-stream');
    const { comments, rest } = await readStream(answer, way);
    expect(comments).toBeGreaterThanOrEqual(3);
    const events = rest.split('\n\n').filter((event) => event !== '');
    expect(events).toHaveLength(1);
    const data = events[0]?.split('\n').find((line) => line.startsWith('data: '));
    expect(JSON.parse(data?.slice(6) ?? '')).toMatchObject({
      jsonrpc: '2.0',
      id: 7,
      result: { resultType: 'complete', content: [{ type: 'text', text: way }] },
    });
  },
);

test('a late question to a client that cannot be asked is an error, as the last event', async () => {
  const { rest } = await readStream(await call('why', { tool: 'late' }), 'why');
  expect(rest).toMatch(/^event: message\ndata: .*-32021.*\n\n$/);
});

test('a client that accepts only JSON gets JSON, however late', async () => {
  const late = call('late', { accept: 'application/json' });
  // by then the other call, which began later, has comments
  await readStream(await call('beside it'), 'beside it');
  await finish('late');
  const answer = await late;
  expect(answer.headers.get('content-type')).toBe('application/json');
  expect(await answer.json()).toMatchObject({ id: 7, result: { content: [{ type: 'text', text: 'late' }] } });
});

test('a client that disconnects during the comments cancels its call', async () => {
  for (const [text, options] of [
    ['gone', {}],
    ['gone too', { meta: { 'io.modelcontextprotocol/logLevel': 'error' } }],
  ] as const) {
    const answer = await call(text, options);
    await answer.body?.cancel();
    await waitUntil(`${text} is canceled`, () => server.cancelled.includes(text));
    expect(server.waiting.has(text)).toBe(false);
  }
});
