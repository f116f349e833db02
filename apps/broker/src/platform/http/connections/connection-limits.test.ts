import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { waitUntil } from '#testing/wait-until.ts';
import { connectionLimits, limitConnections, thisMachine, type ConnectionLimits } from './connection-limits.ts';

let server: Server;
const servers: Server[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const one of servers.splice(0)) {
    one.closeAllConnections();
    await new Promise((resolve) => one.close(resolve));
  }
});

async function listen(limits: ConnectionLimits, shared: readonly string[] = thisMachine): Promise<void> {
  server = createServer((_request, response) => response.end('served'));
  servers.push(server);
  limitConnections(server, limits, shared);
  await new Promise<void>((resolve) => server.listen(0, '::', resolve));
}

const port = () => Object(server.address()).port as number;

/** Opens a connection, and records what it received and whether it has ended. */
async function open(localAddress = '127.0.0.1') {
  const socket = connect({ port: port(), host: '127.0.0.1', localAddress });
  sockets.push(socket);
  const seen = { text: '', isOver: false };
  socket.on('data', (chunk) => (seen.text += String(chunk)));
  socket.on('close', () => (seen.isOver = true));
  socket.on('error', () => {});
  await once(socket, 'connect');
  const ask = (path: string) => socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
  return { socket, seen, ask };
}

test('above the soft limit a connection gets the probes, and 503 for everything else; above the hard one it is dropped', async () => {
  await listen({ soft: 3, hard: 5, ofAddress: 2 });
  const idle = [await open(), await open(), await open()];
  const late = await open();
  late.ask('/anything');
  await waitUntil('its response', () => late.seen.isOver);
  expect(late.seen.text).toMatch(/^HTTP\/1\.1 503 /);
  expect(late.seen.text).toMatch(/retry-after: \d+/i);
  expect(late.seen.text).toContain('"code":"unavailable"');
  for (const probe of ['/healthz', '/readyz']) {
    const another = await open();
    another.ask(probe);
    await waitUntil('its response', () => another.seen.isOver);
    expect(another.seen.text).toMatch(/^HTTP\/1\.1 200 [^]*served/);
  }
  const waiting = [await open(), await open()];
  const dropped = await open();
  await waitUntil('it to be dropped', () => dropped.seen.isOver);
  expect(dropped.seen.text).toBe('');
  expect([...idle, ...waiting].some(({ seen }) => seen.isOver)).toBe(false);

  // slots become free again
  for (const { socket } of [...idle, ...waiting]) socket.destroy();
  const places = async () => {
    const next = await open();
    next.ask('/');
    await waitUntil('an answer or its end', () => next.seen.text !== '' || next.seen.isOver);
    return next.seen.text.includes(' 200 ');
  };
  await waitUntil('a slot', places);
});

test('an address has a limit of connections; shared addresses have no such limit', async () => {
  await listen({ soft: 50, hard: 60, ofAddress: 2 }, ['127.0.0.3/32']);
  const [first] = [await open('127.0.0.1'), await open('127.0.0.1')];
  const third = await open('127.0.0.1');
  await waitUntil('it to be dropped', () => third.seen.isOver);
  const others = [await open('127.0.0.2')];
  for (let count = 0; count < 5; count++) others.push(await open('127.0.0.3'));
  for (const { ask, seen } of others) {
    ask('/');
    await waitUntil('an answer', () => seen.text.includes('served'));
  }
  // a slot becomes free again
  first?.socket.destroy();
  expect(others.every(({ seen }) => seen.text.includes('served'))).toBe(true);
  await waitUntil('a slot', async () => {
    const next = await open('127.0.0.1');
    next.ask('/');
    await waitUntil('an answer or its end', () => next.seen.text !== '' || next.seen.isOver);
    return next.seen.text.includes('served');
  });
});

test('security row 88: limits leave descriptors for the database, servers and programs', () => {
  expect(connectionLimits(450, 8192)).toEqual({ soft: 200, hard: 210, ofAddress: 100 });
  expect(connectionLimits(65_536, 8192)).toEqual({ soft: 54_356, hard: 57_216, ofAddress: 27_178 });
  const least = connectionLimits(256, 8192);
  expect(least.soft).toBeGreaterThan(32);
});
