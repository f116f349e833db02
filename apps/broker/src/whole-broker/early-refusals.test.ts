import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';

let app: TestApp;
let good = '';
/** Token of a client: it was issued here, so it does not count as a guess, and is valid for no call of the API. */
let bad = '';
beforeAll(async () => {
  app = await startTestApp();
  good = (await new ScriptedBrowser(app.publicUrl).signInWeb({ email: 'admin@souk.test' })).accessToken;
  bad = (await new ScriptedBrowser(app.publicUrl).signInMcpClient({ email: 'admin@souk.test' })).accessToken;
});
afterAll(() => app?.stop());

/** Sends a request of which the test chooses every byte; `text` is what was received. */
async function begin(address: string, token: string | undefined, lines: readonly string[], body = '') {
  const { host, port } = new URL(app.publicUrl);
  const socket = connect(Number(port), '127.0.0.1');
  const state = { socket, text: '', isClosed: false };
  socket.on('data', (chunk) => (state.text += String(chunk)));
  socket.on('error', () => {});
  socket.once('close', () => (state.isClosed = true));
  await once(socket, 'connect');
  const own = [`host: ${host}`, ...(token === undefined ? [] : [`authorization: Bearer ${token}`]), ...lines];
  socket.write(`${address} HTTP/1.1\r\n${own.join('\r\n')}\r\n\r\n${body}`);
  return state;
}

const json = 'content-type: application/json';
const hasAnswer = ({ text }: { text: string }) => /\r\n\r\n.*\}$/s.test(text);

/** Returns every call of the API that may have a body. */
const writes = () =>
  app.router.served
    .filter(({ method }) => method !== 'GET')
    .map(({ method, path }) => `${method} ${path.replaceAll(/:\w+/g, '00000000-0000-4000-8000-000000000000')}`);

test('a token is judged by the head only: a call with an invalid token is answered before its body has arrived, and ends', async () => {
  expect(writes().length).toBeGreaterThan(40);
  const refused = async (address: string, lines: readonly string[], body = '') => {
    const state = await begin(address, bad, [json, ...lines], body);
    await waitUntil(`${address} is answered`, () => hasAnswer(state));
    // without a 100 first: a client that asked is not invited to send a body that is not read
    expect(state.text, address).toMatch(/^HTTP\/1.1 401 /);
    expect(state.text, address).toMatch(/\r\nconnection: close\r\n/i);
    await waitUntil(`the connection of ${address} ends`, () => state.isClosed);
  };
  const bodies: [lines: string[], body?: string][] = [
    // 10 bytes of 200,000, and then nothing more
    [['content-length: 200000'], '{"reason":'],
    [['content-length: 200000', 'expect: 100-continue']],
    [['transfer-encoding: chunked'], '5\r\n{"rea\r\n'],
  ];
  // each call in one of these ways
  const calls = writes().map((address, index) => ({ address, way: index % bodies.length }));
  await Promise.all(
    bodies.flatMap(([lines, body], index) =>
      calls.filter(({ way }) => way === index).map(({ address }) => refused(address, lines, body)),
    ),
  );
});

test('the body of another refused request is not read either: no token, no role, another type, too large', async () => {
  const refused = [
    [await begin('POST /admin/manifests', undefined, [json, 'content-length: 200000']), 401],
    [await begin('POST /admin/manifests', good, ['content-type: text/plain', 'content-length: 200000']), 415],
    [await begin('POST /admin/manifests', good, [json, 'content-length: 300000']), 413],
    [await begin('POST /nowhere', good, [json, 'content-length: 300000']), 413],
  ] as const;
  for (const [state, status] of refused) {
    await waitUntil(`${status} is answered`, () => hasAnswer(state));
    expect(state.text).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    await waitUntil('the connection ends', () => state.isClosed);
  }
});

test('a client that asks before it sends its body is told to continue, once it may', async () => {
  const body = JSON.stringify({ name: 'mine' });
  const state = await begin('POST /auth/pat/create', good, [
    json,
    `content-length: ${body.length}`,
    'expect: 100-continue',
  ]);
  await waitUntil('the broker to request it', () => state.text.endsWith('\r\n\r\n'));
  expect(state.text).toBe('HTTP/1.1 100 Continue\r\n\r\n');
  state.socket.write(body);
  await waitUntil('the answer', () => hasAnswer(state));
  expect(state.text).toContain('\r\n\r\nHTTP/1.1 200 OK\r\n');
  // the connection is kept
  expect(state.text).not.toMatch(/connection: close/i);
  state.socket.destroy();
});

test('a client that sends its whole body anyway reads the response', async () => {
  const sent = await fetch(`${app.publicUrl}/admin/manifests`, {
    method: 'POST',
    headers: { authorization: `Bearer ${bad}`, 'content-type': 'application/json' },
    body: 'x'.repeat(800_000),
  });
  expect(sent.status).toBe(401);
  expect(await sent.text()).toContain('"code":"unauthenticated"');
});
