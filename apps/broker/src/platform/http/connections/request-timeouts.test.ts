import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FastifyInstance } from 'fastify';
import { systemClock } from '../../clock.ts';
import { readConfig } from '../../config.ts';
import { createIds } from '../../ids.ts';
import { createLog } from '../../log.ts';
import { buildServer } from '../server.ts';

/** Requests that arrive drop by drop or not at all; the product's own figures are 10 and 30 s. */
const timeouts = { headersMs: 300, wholeMs: 600, checkEveryMs: 50 };
let server: FastifyInstance;
let port: number;

beforeAll(async () => {
  const config = readConfig({ PUBLIC_URL: 'http://localhost:1' });
  server = await buildServer({
    config,
    ids: createIds(systemClock),
    log: createLog('silent'),
    readiness: async () => ({ ready: true }),
    timeouts,
  });
  server.post('/echo', async (request) => ({ got: request.body }));
  server.get('/stream', (_request, reply) => {
    reply.hijack();
    reply.raw.writeHead(200, { 'content-type': 'text/event-stream' });
    reply.raw.write(': open\n\n');
  });
  await server.listen({ port: 0, host: '127.0.0.1' });
  const address = server.server.address();
  port = typeof address === 'object' ? (address?.port ?? 0) : 0;
});
afterAll(() => server?.close());

/** Sends bytes and keeps the connection; returns what it received until the server ended it. */
async function sendAndWait(bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.on('data', (chunk) => (text += String(chunk)));
  socket.write(bytes);
  await once(socket, 'close');
  return text;
}

test('a head that does not end is refused in time', async () => {
  const text = await sendAndWait('POST /echo HTTP/1.1\r\nHost: localhost:1\r\n');
  expect(text).toMatch(/^HTTP\/1.1 408 /);
  expect(server.server.headersTimeout).toBe(timeouts.headersMs);
});

test('a body that does not end is refused in time', async () => {
  const head =
    'POST /echo HTTP/1.1\r\nHost: localhost:1\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n';
  const text = await sendAndWait(`${head}{`);
  expect(text).toMatch(/^HTTP\/1.1 408 /);
  expect(server.server.requestTimeout).toBe(timeouts.wholeMs);
});

test('a long answer does not count as a late request: streams stay open', async () => {
  const slow = sendAndWait('POST /echo HTTP/1.1\r\nHost: localhost:1\r\nContent-Length: 9\r\n\r\n');
  const socket = connect(port, '127.0.0.1');
  let isClosed = false;
  socket.once('close', () => (isClosed = true));
  socket.write('GET /stream HTTP/1.1\r\nHost: localhost:1\r\n\r\n');
  await once(socket, 'data');
  // a late request would have been found and ended by now
  await slow;
  expect(isClosed).toBe(false);
  socket.destroy();
});
