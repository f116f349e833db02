import type { Progress } from '@modelcontextprotocol/client';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { json } from 'node:stream/consumers';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listenLocally } from '#testing/servers/listen-locally.ts';
import { callOptions, trackUpstreams } from '../testing/open-for-test.ts';
import { UpstreamError } from '../upstream-error.ts';

const { open, closeAll } = trackUpstreams();
type Message = { id?: number; method: string; params?: { uri?: string } };
type Open = { id: number; response: ServerResponse };

let listening: Awaited<ReturnType<typeof listenLocally>>;
let onRead: (uri: string, current: Open, before: Open | undefined) => void;

// a server up to 2025-11-25 that delays the answer to the first read until the second one comes
beforeEach(async () => {
  let held: Open | undefined;
  listening = await listenLocally(createServer((request, response) => void serve(request, response)));
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const message = (await json(request)) as Message;
    if (message.id === undefined) return void response.writeHead(202).end();
    const { id } = message;
    if (message.method === 'initialize') {
      const result = {
        protocolVersion: '2025-11-25',
        capabilities: { resources: {} },
        serverInfo: { name: 'crossing', version: '1' },
      };
      return answer(response, id, result);
    }
    if (message.method !== 'resources/read') {
      const error = { code: -32_601, message: 'Method not found' };
      response.writeHead(200, { 'content-type': 'application/json' });
      return void response.end(JSON.stringify({ jsonrpc: '2.0', id, error }));
    }
    onRead(message.params?.uri ?? '', { id, response }, held);
    held ??= { id, response };
  }
});
afterEach(async () => {
  await closeAll();
  await listening.close();
});

function answer(response: ServerResponse, id: number, result: object): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
}

const read = (uri: string, text: string) => ({ contents: [{ uri, text }] });

function target() {
  const host = `127.0.0.1:${listening.port}`;
  return { type: 'http' as const, url: `http://${host}/mcp`, headers: {}, allowAddresses: [host] };
}

test.each([
  // the exchange ended without its own answer
  ['json', 'bad_upstream'],
  ['events', [{ uri: 'b:1', text: "Bob's secret" }]],
] as const)(
  "bad input 42: an answer with the id of another user's request is dropped (%s)",
  async (form, outcomeOfBob) => {
    const logged: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => void logged.push(line) });
    const upstream = await open(target(), { log });
    const isHeld = Promise.withResolvers<void>();
    onRead = (uri, current, before) => {
      if (!before) return isHeld.resolve();
      const secret = { jsonrpc: '2.0', id: before.id, result: read(uri, "Bob's secret") };
      if (form === 'json') {
        answer(current.response, before.id, secret.result);
      } else {
        current.response.writeHead(200, { 'content-type': 'text/event-stream' });
        current.response.write(`data: ${JSON.stringify(secret)}\n\n`);
        current.response.end(`data: ${JSON.stringify({ ...secret, id: current.id })}\n\n`);
      }
      void once(current.response, 'close').then(() => answer(before.response, before.id, read('a:1', "Ann's own")));
    };
    const ofAnn = upstream.readResource({ uri: 'a:1' }, callOptions());
    await isHeld.promise;
    const ofBob = upstream.readResource({ uri: 'b:1' }, callOptions()).then(
      (result) => ('contents' in result ? result.contents : undefined),
      (error: unknown) => (error instanceof UpstreamError ? error.kind : error),
    );
    expect(await ofBob).toEqual(outcomeOfBob);
    expect(await ofAnn).toMatchObject(read('a:1', "Ann's own"));
    expect(logged.join('')).toContain("an answer with another request's id was dropped");
  },
);

test("progress with the token of another user's request is dropped", async () => {
  const upstream = await open(target());
  const isHeld = Promise.withResolvers<void>();
  onRead = (uri, current, before) => {
    if (!before) return isHeld.resolve();
    const progress = (progressToken: number, message: string) => {
      const params = { progressToken, progress: 1, message };
      current.response.write(
        `data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params })}\n\n`,
      );
    };
    current.response.writeHead(200, { 'content-type': 'text/event-stream' });
    progress(before.id, "Bob's secret");
    progress(current.id, "Bob's own");
    const result = read(uri, 'done');
    current.response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id: current.id, result })}\n\n`);
    void once(current.response, 'close').then(() => answer(before.response, before.id, read('a:1', 'done')));
  };
  const heard: [string, string | undefined][] = [];
  const hears = (who: string) => ({
    ...callOptions(),
    onProgress: ({ message }: Progress) => void heard.push([who, message]),
  });
  const ofAnn = upstream.readResource({ uri: 'a:1' }, hears('Ann'));
  await isHeld.promise;
  await upstream.readResource({ uri: 'b:1' }, hears('Bob'));
  await ofAnn;
  expect(heard).toEqual([['Bob', "Bob's own"]]);
});
