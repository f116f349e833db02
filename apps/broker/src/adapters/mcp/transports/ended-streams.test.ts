import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listenLocally } from '#testing/listen-locally.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { failureOf, optionsFor, trackUpstreams, ways } from '../testing/open-for-test.ts';

// A server whose event streams end at once, which wants to be asked again without a pause.

const { open, closeAll } = trackUpstreams();
let listening: Awaited<ReturnType<typeof listenLocally>>;
/** When the stream of notices and that of a call were asked for. */
let askedAtMs: { notices: number[]; call: number[] };

beforeEach(async () => {
  askedAtMs = { notices: [], call: [] };
  listening = await listenLocally(createServer((request, response) => void serve(request, response)));
});
afterEach(async () => {
  await closeAll();
  await listening.close();
});

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  response.on('error', () => {});
  const endAtOnce = (stream: keyof typeof askedAtMs) => {
    askedAtMs[stream].push(performance.now());
    response.writeHead(200, { 'content-type': 'text/event-stream', 'mcp-session-id': 'one' });
    response.end(`id: ${stream}\nretry: 0\ndata: \n\n`);
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

/** The pauses between these times, in full seconds (a timer may be early by a millisecond). */
function pausesOf(atMs: readonly number[]): number[] {
  return atMs
    .slice(1)
    .map((at, index) => at - (atMs[index] ?? 0))
    .map((pause) => Math.floor((pause + 20) / 1000));
}

test.each(['legacy', 'modern'] as const)(
  'the stream of notices of a %s server is asked for after 1 s, then 2',
  async (era) => {
    await connect(era);
    await waitUntil('it was asked three times', () => askedAtMs.notices.length >= 3);
    expect(pausesOf(askedAtMs.notices)).toEqual([1, 2]);
  },
);

test.each(ways)('the stream of a call is asked for after 1 s, then 2 (%s)', async (way) => {
  const upstream = await connect('legacy');
  const options = optionsFor(way)({ timeoutMs: 30_000, totalTimeoutMs: 30_000 });
  const failure = failureOf(upstream.callTool({ name: 'any' }, options));
  await waitUntil('it was asked three times', () => askedAtMs.call.length >= 3);
  await upstream.close();
  await failure;
  expect(pausesOf(askedAtMs.call)).toEqual([1, 2]);
});
