import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { keptMemory } from '#testing/figures/kept-memory.ts';
import { limitFigure } from '#testing/figures/limits.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { systemClock } from '../clock.ts';
import { readConfig } from '../config.ts';
import { createIds } from '../ids.ts';
import { createLog } from '../log.ts';
import { buildServer } from './server.ts';

let server: FastifyInstance;
let port: number;
const arrived: Socket[] = [];

beforeAll(async () => {
  server = await buildServer({
    config: readConfig({ PUBLIC_URL: 'http://localhost:1' }),
    ids: createIds(systemClock),
    log: createLog('silent'),
    readiness: async () => ({ ready: true }),
  });
  server.post('/echo', async (request) => ({ got: request.body }));
  server.post('/small', { bodyLimit: 10 }, async () => ({}));
  server.server.on('connection', (socket) => arrived.push(socket));
  await server.listen({ port: 0, host: '127.0.0.1' });
  const address = server.server.address();
  port = typeof address === 'object' ? (address?.port ?? 0) : 0;
});
afterAll(() => server?.close());

const head = (path: string, more: string) =>
  `POST ${path} HTTP/1.1\r\nHost: localhost:1\r\nConnection: close\r\nContent-Type: application/json\r\n${more}\r\n\r\n`;

function begin(bytes: string): { socket: Socket; answer: Promise<string> } {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.on('data', (chunk) => (text += String(chunk)));
  socket.write(bytes);
  return { socket, answer: once(socket, 'close').then(() => text) };
}

function usedBytes(): number {
  const { heap, buffers } = keptMemory();
  return heap + buffers;
}

test('a body in chunks of one byte takes little more memory than its bytes while it arrives', async () => {
  const count = 60_000;
  const bytes = `${head('/echo', 'Transfer-Encoding: chunked')}1\r\n"\r\n${'1\r\nx\r\n'.repeat(count)}`;
  /** Sends eight such bodies. @returns the result of `look` before their last piece */
  async function send<T>(look: () => T): Promise<T> {
    arrived.length = 0;
    const clients = Array.from({ length: 8 }, () => begin(bytes));
    await waitUntil('all of it to arrive', () => {
      return arrived.length === clients.length && arrived.every(({ bytesRead }) => bytesRead === bytes.length);
    });
    const seen = look();
    for (const { socket } of clients) socket.write('1\r\n"\r\n0\r\n\r\n');
    for (const { answer } of clients) expect(await answer).toContain(`{"got":"${'x'.repeat(count)}"}`);
    return seen;
  }
  await send(() => {});
  const grownMib = async () => {
    const before = usedBytes();
    return (await send(() => usedBytes() - before)) / 2 ** 20;
  };
  await limitFigure(20, 'MiB', grownMib, { scales: 'none' });
});

test('a body that is larger than its route or its parser allows is refused, declared or not', async () => {
  const chunked = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
  const tooLarge = [
    head('/echo', 'Content-Length: 262145'),
    head('/echo', 'Transfer-Encoding: chunked') + chunked(`"${'x'.repeat(262_143)}"`),
    head('/small', 'Content-Length: 11'),
    head('/small', 'Transfer-Encoding: chunked') + chunked('"123456789"'),
  ];
  for (const bytes of tooLarge) {
    const { socket, answer } = begin(bytes);
    expect(await answer).toMatch(/^HTTP\/1.1 413 /);
    socket.destroy();
  }
});
