import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { asRecord } from '#platform/json.ts';
import { listenLocally } from '#testing/servers/listen-locally.ts';
import { failureOf, optionsFor, textOf, trackUpstreams, ways } from '../testing/open-for-test.ts';

// A server up to 2025-11-25 may end the stream of a call before its answer, and the client then requests the rest
// (basic/transports, Resumability and Redelivery).

const { open, closeAll } = trackUpstreams();
const session = { 'mcp-session-id': 'one' };
let server: { port: number; close(): Promise<void> };
/** How the server ends the stream of a call, and what it answers when the client comes back. */
let ending: 'with an id' | 'without an id' | 'torn';
let answersRest = true;
let asked: { lastEventId: unknown; authorization: unknown; isPauseOver: boolean }[] = [];
/** Whether the pause that the server asked for is over, nearly: this timer was set before any of the client. */
let isPauseOver = false;
let callId: unknown;

beforeAll(async () => {
  server = await listenLocally(
    createServer((request, response) => {
      response.on('error', () => {});
      void (request.method === 'POST' ? answerPost(request, response) : answerRest(request, response));
    }),
  );
});
afterAll(() => server.close());
beforeEach(() => {
  ending = 'with an id';
  answersRest = true;
  asked = [];
});
afterEach(closeAll);

async function answerPost(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  const { id, method } = asRecord(JSON.parse(text)) ?? {};
  if (method === 'tools/call') {
    callId = id;
    response.writeHead(200, { ...session, 'content-type': 'text/event-stream' });
    response.write(`${ending === 'without an id' ? '' : 'id: stream.1\nretry: 1200\n'}data: \n\n`, () => {
      isPauseOver = false;
      setTimeout(() => (isPauseOver = true), 1150);
      if (ending === 'torn') request.socket.destroy();
      else response.end();
    });
    return;
  }
  if (id === undefined) return void response.writeHead(202).end();
  const serverInfo = { name: 'resuming', version: '1' };
  const result =
    method === 'initialize' ? { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo } : {};
  response.writeHead(200, { ...session, 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
}

function answerRest({ headers }: IncomingMessage, response: ServerResponse): void {
  const lastEventId = headers['last-event-id'];
  // the SDK's own stream for notices
  if (lastEventId === undefined) return void response.writeHead(405).end();
  asked.push({ lastEventId, authorization: headers.authorization, isPauseOver });
  if (!answersRest) return void response.writeHead(404).end();
  const result = { content: [{ type: 'text', text: 'the rest' }] };
  response.writeHead(200, { ...session, 'content-type': 'text/event-stream' });
  response.end(`id: stream.2\ndata: ${JSON.stringify({ jsonrpc: '2.0', id: callId, result })}\n\n`);
}

const connect = () =>
  open(
    {
      type: 'http',
      url: `http://127.0.0.1:${server.port}/mcp`,
      headers: { authorization: 'Bearer its-own' },
      allowAddresses: [`127.0.0.1:${server.port}`],
    },
    { era: 'legacy' },
  );

test.each(ways.flatMap((way) => (['with an id', 'torn'] as const).map((how) => ({ way, how }))))(
  'a stream that ended ($how) is resumed, after the pause that the server asked for: $way',
  async ({ way, how }) => {
    ending = how;
    const upstream = await connect();
    const answer = await upstream.callTool({ name: 'any' }, optionsFor(way)());
    expect(textOf(answer)).toBe('the rest');
    expect(asked).toEqual([{ lastEventId: 'stream.1', authorization: 'Bearer its-own', isPauseOver: true }]);
  },
);

test('a stream without an id is not resumed: the call fails immediately', async () => {
  ending = 'without an id';
  const upstream = await connect();
  expect((await failureOf(upstream.callTool({ name: 'any' }, optionsFor('fast')()))).kind).toBe('closed');
  expect(asked).toEqual([]);
});

test('if the server does not know the rest, the call fails as closed', async () => {
  answersRest = false;
  const upstream = await connect();
  expect((await failureOf(upstream.callTool({ name: 'any' }, optionsFor('fast')()))).kind).toBe('closed');
  expect(asked).toHaveLength(1);
});

test('no stream is resumed for a caller who has disconnected', async () => {
  const upstream = await connect();
  const controller = new AbortController();
  const options = { ...optionsFor('fast')(), signal: controller.signal };
  const call = failureOf(upstream.callTool({ name: 'any' }, options));
  setImmediate(() => controller.abort());
  expect((await call).kind).toBe('cancelled');
  await upstream.close();
  expect(asked).toEqual([]);
});
