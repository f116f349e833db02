import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listenLocally } from '#testing/servers/listen-locally.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { failureOf, optionsFor, textOf, trackUpstreams, ways } from '../testing/open-for-test.ts';
import { NoticeLimits } from './notice-limits.ts';

const { open, closeAll } = trackUpstreams();
type Message = { id?: number; method?: string; params?: { _meta?: { progressToken?: unknown } } };

let listening: Awaited<ReturnType<typeof listenLocally>>;
let sent = 0;
beforeEach(async () => {
  sent = 0;
  listening = await listenLocally(createServer((request, response) => void serve(request, response)));
});
afterEach(async () => {
  await closeAll();
  await listening.close();
});

/** A deadline that no test reaches. */
const farMs = 3_600_000;

/** Number of changes of the subscribed resource. */
const changes = 1500;

/**
 * A server up to 2025-11-25 that sends progress and log messages as fast as they are read (`name` is their number), and
 * reports to a subscriber that the resource has changed.
 */
async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  response.on('error', () => {});
  if (request.method !== 'POST') return void response.writeHead(405).end();
  const { id, method, params } = (await json(request)) as Message & { params?: { name?: string } };
  if (method === 'initialize') {
    const capabilities = { tools: {}, logging: {}, resources: { subscribe: true } };
    const result = { protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 'a', version: '1' } };
    response.writeHead(200, { 'content-type': 'application/json' });
    return void response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  }
  const isSubscription = method === 'resources/subscribe';
  if (method !== 'tools/call' && !isSubscription) return void response.writeHead(202).end();
  // a server that guesses the token sends progress to calls that asked for none
  const progressToken = params?._meta?.progressToken ?? id;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (message: object) => response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);
  const end = isSubscription ? changes : Number(params?.name);
  const pour = () => {
    while (sent < end && !response.destroyed) {
      sent++;
      if (isSubscription) {
        const updated = { uri: `note://a/${sent}` };
        if (!send({ method: 'notifications/resources/updated', params: updated })) {
          return void response.once('drain', pour);
        }
        continue;
      }
      const told = { level: 'info', data: sent };
      send({ method: 'notifications/message', params: told });
      if (!send({ method: 'notifications/progress', params: { progressToken, progress: sent } })) {
        return void response.once('drain', pour);
      }
    }
    if (response.destroyed) return;
    send({ id, result: isSubscription ? {} : { content: [{ type: 'text', text: 'done' }] } });
    response.end();
  };
  pour();
}

const connect = () => {
  const host = `127.0.0.1:${listening.port}`;
  const notices = new NoticeLimits(time).ofServer('tested');
  const target = { type: 'http' as const, url: `http://${host}/mcp`, headers: {}, allowAddresses: [host] };
  return open(target, { era: 'legacy', notices });
};

/**
 * Time at which the received notice was counted. A pause between counting and receiving says nothing about the limit.
 */
let countedAtMs = 0;
const time = {
  now: () => (countedAtMs = Date.now()),
  after: (delayMs: number, act: () => void) => void setTimeout(act, delayMs).unref(),
};

/** Returns the highest number of these times within one second. */
function mostInASecond(atMs: readonly number[]): number {
  return Math.max(...atMs.map((start) => atMs.filter((at) => at >= start && at - start < 1000).length));
}

test.each(ways)('a caller receives 20 of thousands of notices per second, and the result (%s)', async (way) => {
  const upstream = await connect();
  const heard: { atMs: number; count: number }[] = [];
  const hear = (count: unknown) => heard.push({ atMs: countedAtMs, count: Number(count) });
  const options = optionsFor(way)({
    onProgress: ({ progress }) => void hear(progress),
    onLog: ({ data }) => void hear(data),
    timeoutMs: farMs,
    totalTimeoutMs: farMs,
  });
  expect(textOf(await upstream.callTool({ name: way === 'fast' ? '4000' : '1000' }, options))).toBe('done');
  expect(mostInASecond(heard.map(({ atMs }) => atMs))).toBeLessThanOrEqual(20);
  // ten of each kind get a slot immediately; the next of each kind is the newest, not the one that waited longest
  expect(heard.slice(0, 20).at(-1)?.count).toBe(10);
  for (const { count } of heard.slice(20, 22)) expect(count).toBeGreaterThan(11);
  expect(heard.length).toBeGreaterThanOrEqual(22);
});

test.each(ways)(
  'security row 43: progress does not keep a call alive whose client has disconnected (%s)',
  async (way) => {
    const upstream = await connect();
    const heard: unknown[] = [];
    // on a busy machine the first limit may pass before the client has disconnected
    for (let timeoutMs = 300; heard.length < 3; timeoutMs *= 10) {
      const options = optionsFor(way)({
        onProgress: (progress) => void heard.push(progress),
        listening: () => (heard.length < 3 ? 'ready' : 'gone'),
        timeoutMs,
        totalTimeoutMs: farMs,
      });
      expect((await failureOf(upstream.callTool({ name: '1000000' }, options))).kind).toBe('timeout');
    }
    expect(heard).toHaveLength(3);
  },
);

test.each(ways)('progress does not extend the deadline of a call that did not ask for it (%s)', async (way) => {
  const upstream = await connect();
  const options = optionsFor(way)({ timeoutMs: 300, totalTimeoutMs: farMs });
  expect((await failureOf(upstream.callTool({ name: '1000000' }, options))).kind).toBe('timeout');
});

test('in a flood of changes a subscription receives 20 per second and all subscriptions of a server 200, and each receives the last change', async () => {
  const upstream = await connect();
  const subscriptions = Array.from({ length: 15 }, () => ({ atMs: new Array<number>(), last: '' }));
  const watching = subscriptions.map((heard) =>
    upstream.watchResource('note://a', {
      onUpdated(uri) {
        heard.atMs.push(countedAtMs);
        heard.last = uri;
      },
      onEnded() {},
    }),
  );
  await Promise.all(watching);
  await waitUntil('the last change', () => subscriptions.every(({ last }) => last === `note://a/${changes}`));
  for (const { atMs } of subscriptions) expect(mostInASecond(atMs)).toBeLessThanOrEqual(20);
  expect(mostInASecond(subscriptions.flatMap(({ atMs }) => atMs))).toBeLessThanOrEqual(200);
});
