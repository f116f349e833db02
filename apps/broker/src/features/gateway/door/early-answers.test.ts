import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { initializeRequest } from '#testing/people/open-session.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';

const oneMiB = 1024 * 1024;
let app: TestApp;
let token: string;
const sockets: Socket[] = [];

beforeAll(async () => {
  app = await startTestApp();
  ({ token } = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' }));
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});
afterAll(() => app?.stop());

const head = (path: string, ...lines: string[]) =>
  [
    `POST ${path} HTTP/1.1`,
    `host: ${new URL(app.publicUrl).host}`,
    'content-type: application/json',
    ...lines,
    '\r\n',
  ].join('\r\n');
const authorization = (bearer: string) => `authorization: Bearer ${bearer}`;
const ofOneMiB = `content-length: ${oneMiB}`;

/** Opens a connection on which the test chooses every byte; `text` is what was received. */
async function openSocket() {
  const socket = connect(Number(new URL(app.publicUrl).port), '127.0.0.1');
  sockets.push(socket);
  const state = { socket, text: '', isClosed: false };
  socket.on('data', (chunk) => (state.text += String(chunk)));
  socket.on('error', () => {});
  socket.once('close', () => (state.isClosed = true));
  await once(socket, 'connect');
  return state;
}

test.each([
  '%0a',
  '%00',
  'a%00',
  '%0d%0a',
  '%7f',
  '%E2%82%AC',
  '%22%2C%20scope%3D%22evil',
  'A',
  '..%2f..',
  'x'.repeat(64),
])('a link with an impossible server id is answered, and no header contains the id: %s', async (id) => {
  for (const bearer of [{}, { authorization: `Bearer ${token}` }]) {
    for (const method of ['GET', 'POST']) {
      const answer = await fetch(`${app.publicUrl}/s/${id}/mcp`, { method, headers: bearer });
      expect(answer.status).toBe(404);
      expect(answer.headers.get('www-authenticate')).toBeNull();
      expect(await answer.text()).not.toContain('evil');
    }
  }
});

describe('a refused request is refused by its head: its body is not waited for', () => {
  test.each([
    ['no token', '/mcp', [], 401],
    ['no token, one server', '/s/free/mcp', [], 401],
    ['an invalid token', '/mcp', [authorization('nonsense')], 401],
    ['a foreign Origin', '/mcp', ['origin: https://evil.test'], 403],
    ['a foreign Host', '/mcp', ['host: evil.test'], 403],
  ])('%s (%s)', async (_what, path, lines, status) => {
    const own = lines.some((line) => line.startsWith('host:'))
      ? head(path, ofOneMiB).replace(/host: .*/, lines.join(''))
      : head(path, ofOneMiB, ...lines);
    const state = await openSocket();
    state.socket.write(own);
    await waitUntil('the answer', () => state.text.includes('\r\n\r\n{'));
    // and not 408, as for a late body
    expect(state.text).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(state.text.includes('/.well-known/oauth-protected-resource')).toBe(status === 401);
    expect(state.text).toMatch(/connection: close/i);
  });

  test('an unknown server, and then the connection ends', async () => {
    const state = await openSocket();
    state.socket.write(head('/s/nothing/mcp', ofOneMiB, authorization(token)));
    await waitUntil('the connection to end', () => state.isClosed);
    expect(state.text).toMatch(/^HTTP\/1.1 404 [^]*Unknown server/);
  });

  test('a client that is still sending its body reads the answer anyway', async () => {
    for (const bytes of [300_000, oneMiB]) {
      const sent = await fetch(`${app.publicUrl}/mcp`, { method: 'POST', body: 'x'.repeat(bytes) });
      expect(sent.status).toBe(401);
      expect(await sent.text()).toContain('Authentication required');
    }
  });

  test('a connection on which the body has arrived is kept', async () => {
    const state = await openSocket();
    for (const count of [1, 2]) {
      state.socket.write(`${head('/mcp', 'content-length: 2')}{}`);
      await waitUntil('the answer', () => state.text.split('HTTP/1.1 401 ').length === count + 1);
    }
    expect(state.text).not.toMatch(/connection: close/i);
  });
});

test('security row 9: a body of 1 MiB and a byte answers 413 to a known client, sent whole or in chunks', async () => {
  const whole = await openSocket();
  whole.socket.write(head('/mcp', `content-length: ${oneMiB + 1}`, authorization(token)));
  const chunked = await openSocket();
  chunked.socket.write(head('/mcp', 'transfer-encoding: chunked', authorization(token)));
  chunked.socket.write(`${(oneMiB + 1).toString(16)}\r\n${'x'.repeat(oneMiB + 1)}\r\n`);
  for (const state of [whole, chunked]) {
    await waitUntil('the answer', () => state.isClosed);
    expect(state.text).toMatch(/^HTTP\/1.1 413 /);
  }
});

test('a client that asks before it sends its body (Expect: 100-continue) is served, and refused', async () => {
  const body = initializeRequest();
  const send = (bearer: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${bearer}`,
        'content-type': 'application/json',
        'content-length': body.length,
        accept: 'application/json, text/event-stream',
        expect: '100-continue',
      };
      const sent = httpRequest(`${app.publicUrl}/mcp`, { method: 'POST', headers }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      sent.once('error', reject).once('continue', () => sent.end(body));
      sent.flushHeaders();
    });
  expect([await send(token), await send('nonsense')]).toEqual([200, 401]);
});

test('a client that disconnects in the middle of its body is not a fault: nothing about it is logged above debug', async () => {
  const before = app.logged().length;
  const lengths = ['content-length: 1000\r\n\r\n{"a', 'transfer-encoding: chunked\r\n\r\n3\r\n{"a\r\n'];
  for (const path of ['/mcp', '/v2/user/profile', '/oauth/register']) {
    for (const rest of lengths) {
      const state = await openSocket();
      state.socket.write(head(path, authorization(token)).replace(/\r\n\r\n$/, `\r\n${rest}`));
      // a second request shows that the first was read: the broker reads in order of arrival
      await (await fetch(`${app.publicUrl}/healthz`)).text();
      state.socket.destroy();
      await once(state.socket, 'close');
    }
  }
  const connections = () =>
    new Promise<number>((resolve, reject) =>
      app.server.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
    );
  await fetch(`${app.publicUrl}/healthz`, { headers: { connection: 'close' } });
  await waitUntil('every connection to end', async () => (await connections()) <= 1);
  const lines = app.logged().slice(before).trim().split('\n').filter(Boolean);
  expect(lines.filter((line) => Number(/"level":(\d+)/.exec(line)?.[1]) > 20)).toEqual([]);
});
