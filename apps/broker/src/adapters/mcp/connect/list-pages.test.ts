import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { listenLocally } from '#testing/servers/listen-locally.ts';
import { answerBy } from '#testing/servers/rpc-answer.ts';
import { trackUpstreams } from '../testing/open-for-test.ts';
import type { Era } from '../upstream.ts';

// Cursors that servers return. Each page is requested with the cursor of the page before it.

const { open, closeAll } = trackUpstreams();
/** Cursor that a page returns, by the cursor that the client sends. */
let pages: Record<string, string | undefined> = {};
let server: { port: number; close(): Promise<void> };

beforeAll(async () => {
  const http = createServer((request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    void json(request).then((message) => {
      const { id, method, params } = Object(message);
      if (id === undefined) return void response.writeHead(202).end();
      const isModern = request.url === '/modern';
      const asked = params?.cursor === undefined ? 'first' : `after ${params.cursor}`;
      const nextCursor = pages[asked];
      const complete = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
      const capabilities = { tools: {} };
      answerBy(
        response,
        { id, method },
        {
          'tools/list': {
            ...complete,
            tools: [{ name: asked, inputSchema: { type: 'object' } }],
            ...(nextCursor !== undefined && { nextCursor }),
          },
          ...(isModern
            ? { 'server/discover': { ...complete, supportedVersions: ['2026-07-28'], capabilities } }
            : {
                initialize: {
                  protocolVersion: '2025-11-25',
                  capabilities,
                  serverInfo: { name: 'pages', version: '1' },
                },
              }),
        },
      );
    });
  });
  server = await listenLocally(http);
});
afterEach(closeAll);
afterAll(() => server.close());

async function listed(era: Era): Promise<string[]> {
  const address = `127.0.0.1:${server.port}`;
  const upstream = await open(
    { type: 'http', url: `http://${address}/${era}`, headers: {}, allowAddresses: [address] },
    { era },
  );
  return (await upstream.listTools()).map(({ name }) => name);
}

test('an empty cursor ends a list up to 2025-11-25, and is an ordinary cursor since then', async () => {
  pages = { first: '' };
  expect(await listed('legacy')).toEqual(['first']);
  expect(await listed('modern')).toEqual(['first', 'after ']);
  pages = { first: '', 'after ': '2' };
  expect(await listed('modern')).toEqual(['first', 'after ', 'after 2']);
});

test.each(['legacy', 'modern'] as const)(
  'a repeated cursor ends a list, and the pages read so far are kept: %s',
  async (era) => {
    pages = { first: '1', 'after 1': '2', 'after 2': '1' };
    expect(await listed(era)).toEqual(['first', 'after 1', 'after 2']);
    pages = { first: '1', 'after 1': '1' };
    expect(await listed(era)).toEqual(['first', 'after 1']);
  },
);
