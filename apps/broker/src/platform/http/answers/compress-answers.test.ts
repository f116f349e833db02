import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getWithEncoding } from '#testing/people/get-with-encoding.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { readConfig } from '../../config.ts';
import { createIds } from '../../ids.ts';
import { systemClock } from '../../clock.ts';
import { createLog } from '../../log.ts';
import { buildServer } from '../server.ts';

const privatePaths = ['/oauth/token', '/oauth/interaction/a', '/auth/pat/list', '/login', '/dev-google/choose/a'];
const long = { words: 'souk '.repeat(400) };
/** More than the network buffers for a client that does not read, also compressed. */
const huge = randomBytes(9 * 1024 * 1024).toString('base64');
const publicHost = 'localhost:1';
let server: FastifyInstance;
let address: string;

beforeAll(async () => {
  server = await buildServer({
    config: readConfig({ PUBLIC_URL: `http://${publicHost}` }),
    ids: createIds(systemClock),
    log: createLog('silent'),
    readiness: async () => ({ ready: true }),
  });
  for (const path of ['/long', '/oauthor', '/authors/a', ...privatePaths]) server.get(path, async () => long);
  server.get('/short', async () => ({ words: 'souk' }));
  server.get('/huge', (_request, reply) => reply.type('application/json').send(JSON.stringify(huge)));
  server.get('/secret', (_request, reply) => reply.header('cache-control', 'no-store').send(long));
  server.get('/file', (_request, reply) => reply.type('text/csv').send(Readable.from([long.words])));
  server.get('/stream', (_request, reply) =>
    reply.type('application/json').send(Readable.from([JSON.stringify(long)])),
  );
  server.get('/events', (_request, reply) => reply.type('text/event-stream').send(`data: ${long.words}\n\n`));
  server.get('/image', (_request, reply) => reply.type('image/png').send(Buffer.alloc(4096)));
  server.get('/varied', (_request, reply) => reply.header('vary', 'Origin').send(long));
  address = await server.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(() => server?.close());

const ask = (path: string, accepted: string | undefined) =>
  getWithEncoding(`${address}${path}`, accepted, { host: publicHost });

test('a response of 1 KiB or more is compressed as the client accepts it, with its own length', async () => {
  for (const [accepted, encoding, decode] of [
    ['gzip, deflate, br', 'br', brotliDecompressSync],
    ['gzip;q=0.5', 'gzip', gunzipSync],
    ['BR;q=0, GZIP', 'gzip', gunzipSync],
  ] as const) {
    const { headers, body } = await ask('/long', accepted);
    expect(headers['content-encoding'], accepted).toBe(encoding);
    expect(headers['content-length'], accepted).toBe(String(body.length));
    expect(headers.vary, accepted).toBe('accept-encoding');
    expect(body.length).toBeLessThan(200);
    expect(JSON.parse(decode(body).toString())).toEqual(long);
  }
  const { headers } = await ask('/varied', 'br');
  expect(headers.vary).toBe('Origin, accept-encoding');
});

test('a client that accepts neither encoding gets the response uncompressed, and caches are told that others do not', async () => {
  for (const accepted of [undefined, 'identity', 'gzip;q=0', 'gzip;q=x', '*', ',;,;q=', `${'a,'.repeat(5000)}gzip`]) {
    const { headers, body } = await ask('/long', accepted);
    expect(headers['content-encoding'], accepted).toBeUndefined();
    expect(headers.vary).toBe('accept-encoding');
    expect(JSON.parse(body.toString())).toEqual(long);
  }
});

test.each([
  ['br', brotliDecompressSync],
  ['gzip', gunzipSync],
] as const)('JSON that is generated while it is sent is sent with %s', async (encoding, decode) => {
  const { headers, body } = await ask('/stream', encoding);
  expect(headers).toMatchObject({ 'content-encoding': encoding, vary: 'accept-encoding' });
  expect(JSON.parse(decode(body).toString())).toEqual(long);
});

test('short responses, files sent as streams, events and images are sent uncompressed', async () => {
  for (const path of ['/short', '/file', '/events', '/image']) {
    const { status, headers } = await ask(path, 'gzip, br');
    expect([status, headers['content-encoding']], path).toEqual([200, undefined]);
  }
});

test('a response that contains a secret is never compressed: its length would reveal it (BREACH)', async () => {
  for (const path of ['/secret', ...privatePaths]) {
    const { status, headers } = await ask(path, 'gzip, br');
    expect([status, headers['content-encoding']], path).toEqual([200, undefined]);
  }
  for (const path of ['/oauthor', '/authors/a']) {
    expect((await ask(path, 'br')).headers['content-encoding'], path).toBe('br');
  }
});

test('a response of many MiB is compressed as it is sent, and beyond four concurrent ones it is sent uncompressed', async () => {
  for (const [accepted, decode] of [
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ] as const) {
    const { headers, body } = await ask('/huge', accepted);
    expect([headers['content-encoding'], headers.vary]).toEqual([accepted, 'accept-encoding']);
    expect(body.length).toBeLessThan(huge.length);
    expect(JSON.parse(decode(body).toString()) === huge, accepted).toBe(true);
  }
  const open = async (): Promise<IncomingMessage> => {
    const request = get(`${address}/huge`, { headers: { host: publicHost, 'accept-encoding': 'gzip' } });
    const [answer] = await once(request, 'response');
    return answer;
  };
  const unread = await Promise.all([open(), open(), open(), open()]);
  const fifth = await open();
  expect(unread.map(({ headers }) => headers['content-encoding'])).toEqual(Array(4).fill('gzip'));
  expect(fifth.headers['content-encoding']).toBeUndefined();
  for (const answer of [...unread, fifth]) answer.destroy();
  // disconnected clients make room
  await waitUntil('a long response to be compressed again', async () => {
    const answer = await open();
    answer.destroy();
    return answer.headers['content-encoding'] === 'gzip';
  });
});
