import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '#testing/start-app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app?.stop());

/** Sends a handwritten request. @returns its status and what follows the head */
async function send(
  target: string,
  hosts: string[],
  method = 'GET',
  more = '',
): Promise<[status: number, rest: string]> {
  const socket = connect(Number(new URL(app.publicUrl).port), '127.0.0.1');
  await once(socket, 'connect');
  const head = [`${method} ${target} HTTP/1.1`, ...hosts.map((host) => `Host: ${host}`), 'Connection: close'];
  socket.write(`${head.join('\r\n')}\r\n${more}\r\n`);
  const answer = await text(socket);
  return [Number(answer.split(' ', 2)[1]), answer];
}

const own = () => new URL(app.publicUrl).host;

test('a request in absolute form for this host is a request for its path', async () => {
  expect((await send(`${app.publicUrl}/healthz`, [own()]))[0]).toBe(200);
  expect((await send(`${app.publicUrl.toUpperCase()}/mcp/tools?a=1`, [own()]))[0]).toBe(200);
  // its token is required
  expect((await send(`${app.publicUrl}/mcp`, [own()], 'POST'))[0]).toBe(401);
});

test.each(['/', '/healthz', '/mcp/tools', '/marketplace/', '//double', '/api/nothing', '/oauth/authorize?client_id=a'])(
  'a request in absolute form for another host is refused with 400, and has no effect: %s',
  async (path) => {
    const [status, answer] = await send(`http://other.example${path}`, [own()], 'GET', 'Accept: text/html\r\n');
    expect(status, answer).toBe(400);
    expect(answer).not.toMatch(/^location:/im);
  },
);

test('two Host headers are refused with 400, in either order', async () => {
  for (const hosts of [
    [own(), 'other.example'],
    ['other.example', own()],
    [own(), own()],
  ])
    expect((await send('/mcp/tools', hosts))[0], hosts.join()).toBe(400);
});

test('security row 4: on /mcp another host is refused with 403, in any form', async () => {
  for (const path of ['/mcp', '/s/any/mcp']) {
    expect((await send(`http://other.example${path}`, [own()], 'POST'))[0], path).toBe(403);
    expect((await send(path, [own(), 'other.example'], 'POST'))[0], path).toBe(403);
    expect((await send(path, ['other.example'], 'POST'))[0], path).toBe(403);
  }
});
