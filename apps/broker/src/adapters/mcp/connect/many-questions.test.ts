import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listenLocally } from '#testing/servers/listen-locally.ts';
import { optionsFor, textOf, trackUpstreams, ways } from '../testing/open-for-test.ts';

const { open, closeAll } = trackUpstreams();
type Message = { id?: number | string; method?: string; result?: object; error?: { message: string } };

let listening: Awaited<ReturnType<typeof listenLocally>>;
beforeEach(async () => {
  listening = await listenLocally(createServer((request, response) => void serve(request, response)));
});
afterEach(async () => {
  await closeAll();
  await listening.close();
});

/**
 * A server up to 2025-11-25 that asks one question after another until one is refused, and then reports how many it
 * asked.
 */
let ask: (asked: number) => void = () => {};
async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== 'POST') return void response.writeHead(405).end();
  const message = (await json(request)) as Message;
  if (message.method === 'initialize') {
    const result = {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 'a', version: '1' },
    };
    response.writeHead(200, { 'content-type': 'application/json' });
    return void response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
  }
  if (message.method === 'tools/call') {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const send = (sent: object) => response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...sent })}\n\n`);
    ask = (asked) => {
      const params = { message: 'More?', requestedSchema: { type: 'object', properties: {} } };
      send({ id: `q${asked + 1}`, method: 'elicitation/create', params });
    };
    end = (asked) => {
      send({ id: message.id, result: { content: [{ type: 'text', text: `${asked} were asked` }] } });
      response.end();
    };
    return ask(0);
  }
  response.writeHead(message.method && message.id !== undefined ? 404 : 202).end();
  const asked = typeof message.id === 'string' ? Number(message.id.slice(1)) : Number.NaN;
  if (message.result && asked) ask(asked);
  if (message.error && asked) end(asked);
}
let end: (asked: number) => void = () => {};

test.each(ways)('a call may ask 32 questions, and the next question is refused (%s)', async (way) => {
  const host = `127.0.0.1:${listening.port}`;
  const target = { type: 'http' as const, url: `http://${host}/mcp`, headers: {}, allowAddresses: [host] };
  const upstream = await open(target, { era: 'legacy', clientCapabilities: { elicitation: {} }, ofOnePerson: true });
  let answered = 0;
  const options = optionsFor(way)({
    onAsk: async () => {
      answered++;
      return { action: 'decline' };
    },
  });
  expect(textOf(await upstream.callTool({ name: 'curious' }, options))).toBe('33 were asked');
  expect(answered).toBe(32);
});
