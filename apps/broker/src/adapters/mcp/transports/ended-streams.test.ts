import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listenLocally } from '#testing/servers/listen-locally.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { failureOf, optionsFor, trackUpstreams, ways } from '../testing/open-for-test.ts';

// A server whose event streams end immediately, and which asks clients to reconnect without a pause.

const { open, closeAll } = trackUpstreams();
let listening: Awaited<ReturnType<typeof listenLocally>>;
/** Pauses that are over since the server ended a stream, and the number of pauses that were over at each reconnect. */
type Stream = { pauses: number; askedAfter: number[] };
let streams: { notices: Stream; call: Stream };

beforeEach(async () => {
  streams = { notices: { pauses: 0, askedAfter: [] }, call: { pauses: 0, askedAfter: [] } };
  listening = await listenLocally(createServer((request, response) => void serve(request, response)));
});
afterEach(async () => {
  await closeAll();
  await listening.close();
});

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  response.on('error', () => {});
  const endAtOnce = (name: keyof typeof streams) => {
    const stream = streams[name];
    const asked = stream.askedAfter.push(stream.pauses);
    // just under the pause of 1 s, then 2 s: a client sets its timer later
    setTimeout(() => stream.pauses++, asked * 1000 - 20);
    response.writeHead(200, { 'content-type': 'text/event-stream', 'mcp-session-id': 'one' });
    response.end(`id: ${name}\nretry: 0\ndata: \n\n`);
  };
  if (request.method === 'GET') return endAtOnce(request.headers['last-event-id'] === 'call' ? 'call' : 'notices');
  if (request.method !== 'POST') return void response.writeHead(405).end();
  const { id, method } = (await json(request)) as { id?: number; method?: string };
  if (method === 'subscriptions/listen') return endAtOnce('notices');
  if (method === 'tools/call') return endAtOnce('call');
  if (id === undefined) return void response.writeHead(202).end();
  const serverInfo = { name: 'ending', version: '1' };
  const capabilities = { tools: { listChanged: true } };
  const result =
    method === 'initialize'
      ? { protocolVersion: '2025-11-25', capabilities, serverInfo }
      : { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities, ttlMs: 0, cacheScope: 'private' };
  response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 'one' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
}

const connect = (era: 'legacy' | 'modern') => {
  const host = `127.0.0.1:${listening.port}`;
  const target = { type: 'http' as const, url: `http://${host}/mcp`, headers: {}, allowAddresses: [host] };
  return open(target, { era, onToolListChanged: () => {} });
};

test('the notice stream of a modern server is requested again after 1 s, then 2 s', async () => {
  await connect('modern');
  await waitUntil('it was requested three times', () => streams.notices.askedAfter.length >= 3);
  expect(streams.notices.askedAfter.slice(0, 3)).toEqual([0, 1, 2]);
});

test.each(ways)(
  'the notice and call streams of a legacy server are requested again after 1 s, then 2 s (%s)',
  async (way) => {
    const upstream = await connect('legacy');
    const options = optionsFor(way)({ timeoutMs: 600_000, totalTimeoutMs: 600_000 });
    const failure = failureOf(upstream.callTool({ name: 'any' }, options));
    const asked = [streams.notices, streams.call];
    await waitUntil('they were requested three times', () => asked.every(({ askedAfter }) => askedAfter.length >= 3));
    await upstream.close();
    await failure;
    for (const { askedAfter } of asked) expect(askedAfter.slice(0, 3)).toEqual([0, 1, 2]);
  },
);
