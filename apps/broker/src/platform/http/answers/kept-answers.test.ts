import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import fastify, { type FastifyInstance } from 'fastify';
import { getTools } from '@souk/contract/catalogue/catalogue.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { compressAnswers } from './compress-answers.ts';
import { createKeptAnswers } from './kept-answers.ts';

let app: FastifyInstance;
let built: number;
let version: string;
let tools: { name: string }[];

beforeEach(() => {
  built = 0;
  version = '1';
  tools = [{ name: 'a'.repeat(2000) }];
  app = fastify();
  compressAnswers(app);
  const answers = createKeptAnswers();
  app.get('/', (request, reply) =>
    answers.send(getTools, { request, reply }, version, () => {
      built++;
      return { tools: tools as never };
    }),
  );
});
afterEach(() => app.close());

const get = (encoding?: string) =>
  app.inject({ url: '/', headers: encoding === undefined ? {} : { 'accept-encoding': encoding } });

test('a response is built once per encoding, however many concurrent requests, and again once its version changes', async () => {
  const asked = ['br', 'gzip', undefined].flatMap((encoding) => Array.from({ length: 100 }, () => encoding));
  const answers = await Promise.all(asked.map(get));
  expect(built).toBe(3);
  const read: Record<string, (body: Buffer) => Buffer> = { br: brotliDecompressSync, gzip: gunzipSync };
  for (const [index, { headers, rawPayload }] of answers.entries()) {
    const encoding = asked[index];
    expect([headers['content-encoding'], headers['vary']]).toEqual([encoding, 'accept-encoding']);
    const body = encoding === undefined ? rawPayload : read[encoding]?.(rawPayload);
    expect(JSON.parse(String(body))).toEqual({ tools });
  }

  version = '2';
  tools = [{ name: 'another' }];
  expect((await get()).json()).toEqual({ tools });
  expect(built).toBe(4);
});

test('a response too long to cache is sent whole to each client', async () => {
  tools = Array.from({ length: 17 }, (_, index) => ({ name: `${index}`.repeat(1024 * 1024) }));
  for (let round = 1; round <= 2; round++) expect((await get()).json()).toEqual({ tools });
});

test('a failure is not cached', async () => {
  const failing = tools;
  tools = new Proxy(failing, {
    get() {
      throw new Error('no tools now');
    },
  });
  expect((await get()).statusCode).toBe(500);
  tools = failing;
  expect((await get()).statusCode).toBe(200);
});
