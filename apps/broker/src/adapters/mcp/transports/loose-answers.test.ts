import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { listenLocally } from '#testing/servers/listen-locally.ts';
import { failureOf, optionsFor, textOf, trackUpstreams, ways } from '../testing/open-for-test.ts';

// Responses of servers up to 2025-11-25 that deviate slightly from the specification and are still unambiguous.

const { open, closeAll } = trackUpstreams();
type Message = { id?: number; method: string };
type Loose = {
  /** Responds to a notice, instead of 202 without a body. */
  notice?: (response: ServerResponse) => void;
  /** Returns the id as the server writes it in a response. */
  id?: (id: number) => unknown;
  isStream?: boolean;
  /** Returns what the server sends instead of a response body, or instead of the event that contains it. */
  write?: (body: string) => string;
};

let loose: Loose;
let listening: Awaited<ReturnType<typeof listenLocally>>;
beforeAll(async () => {
  listening = await listenLocally(createServer((request, response) => void serve(request, response)));
});
afterEach(closeAll);
afterAll(() => listening.close());

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== 'POST') return void response.writeHead(405).end();
  const message = (await json(request)) as Message;
  if (message.id === undefined) {
    if (loose.notice) return loose.notice(response);
    return void response.writeHead(202).end();
  }
  const answer = JSON.stringify({
    jsonrpc: '2.0',
    id: loose.id?.(message.id) ?? message.id,
    ...(results[message.method] ?? { error: { code: -32_601, message: 'Method not found' } }),
  });
  const type = loose.isStream ? 'text/event-stream' : 'application/json';
  const body = loose.isStream ? `data: ${answer}\n\n` : answer;
  response.writeHead(200, { 'content-type': type }).end(loose.write?.(body) ?? body);
}

const serverInfo = { name: 'loose', version: '1' };
const results: Record<string, { result: object }> = {
  initialize: { result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo } },
  'tools/list': { result: { tools: [{ name: 'say', inputSchema: { type: 'object' } }] } },
  'tools/call': { result: { content: [{ type: 'text', text: 'said' }] } },
};

/** Calls the tool on each path, and returns the answers. */
async function use(): Promise<string[]> {
  const host = `127.0.0.1:${listening.port}`;
  const upstream = await open({ type: 'http', url: `http://${host}/mcp`, headers: {}, allowAddresses: [host] });
  expect(await upstream.listTools()).toMatchObject([{ name: 'say' }]);
  const calls = ways.map((way) => upstream.callTool({ name: 'say' }, optionsFor(way)()));
  return (await Promise.all(calls)).map(textOf);
}

const says = (status: number, type: string, body: string) => (response: ServerResponse) =>
  void response.writeHead(status, { 'content-type': type }).end(body);

test.each<[string, NonNullable<Loose['notice']>]>([
  // WordPress's adapter
  ['null', says(200, 'application/json', 'null')],
  ['nothing, as JSON', says(200, 'application/json', '')],
  ['an empty object', says(200, 'application/json', '{}')],
  ['a result', says(200, 'application/json', '{"jsonrpc":"2.0","id":null,"result":{}}')],
  ['an empty list', says(202, 'application/json', '[]')],
  ['a text', says(200, 'text/plain; charset=UTF-8', 'Accepted')],
  ['a page', says(202, 'text/html', '<p>Accepted')],
  ['no content', (response) => void response.writeHead(204).end()],
])('the body of a response to a notice is ignored: %s', async (_what, notice) => {
  loose = { notice };
  expect(await use()).toEqual(['said', 'said']);
});

test.each([false, true])('an id that comes back as a string matches: as a stream %s', async (isStream) => {
  loose = { id: String, isStream };
  expect(await use()).toEqual(['said', 'said']);
});

/**
 * Calls the tool of a program.
 * @param line an expression of `id`, `method` and `outcome` (a JSON-RPC result or error) that the program writes
 */
async function useProgram(line: string): Promise<string> {
  const program = `
    const results = ${JSON.stringify(results)};
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method } = JSON.parse(line);
      if (id === undefined) return;
      const outcome = results[method] ?? { error: { code: -32601, message: 'Method not found' } };
      console.log(${line});
    });`;
  const upstream = await open({ type: 'stdio', argv: [process.execPath, '-e', program], cwd: '/', env: {} });
  return textOf(await upstream.callTool({ name: 'say' }, optionsFor('sdk')()));
}

test('an id that comes back as a string matches: from a program', async () => {
  expect(await useProgram(`JSON.stringify({ jsonrpc: '2.0', id: String(id), ...outcome })`)).toBe('said');
});

const mark = '\uFEFF';
test.each<[string, Loose]>([
  ['JSON', { write: (body) => mark + body }],
  [
    'JSON with null for an absent member',
    { write: (body) => mark + body.replace('"content"', '"isError":null,"content"') },
  ],
  ['an event', { isStream: true, write: (body) => mark + body }],
  ['the data of an event', { isStream: true, write: (body) => body.replace('data: ', `data: ${mark}`) }],
  ['an event after another', { isStream: true, write: (body) => `: hello\n\n${mark}${body}` }],
])('a byte order mark is skipped before %s', async (_what, given) => {
  loose = given;
  expect(await use()).toEqual(['said', 'said']);
});

test('a byte order mark is skipped before a line of a program', async () => {
  expect(await useProgram(`'\\uFEFF' + JSON.stringify({ jsonrpc: '2.0', id, ...outcome })`)).toBe('said');
});

const twoOutcomes = { kind: 'bad_upstream', message: 'the answer has both a result and an error' };

test.each(ways.flatMap((way) => [false, true].map((isStream) => ({ way, isStream }))))(
  'an answer with both a result and an error is invalid, immediately: $way, as a stream $isStream',
  async ({ way, isStream }) => {
    const error = '"error":{"code":-32000,"message":"no"}';
    loose = { isStream, write: (body) => body.replace('"result":{"content"', `${error},"result":{"content"`) };
    const host = `127.0.0.1:${listening.port}`;
    const upstream = await open({ type: 'http', url: `http://${host}/mcp`, headers: {}, allowAddresses: [host] });
    expect(await failureOf(upstream.callTool({ name: 'say' }, optionsFor(way)()))).toMatchObject(twoOutcomes);
    // null is not an error
    loose = { isStream, write: (body) => body.replace('"result":{"content"', '"error":null,"result":{"content"') };
    expect(textOf(await upstream.callTool({ name: 'say' }, optionsFor(way)()))).toBe('said');
  },
);

test('an answer of a program with both a result and an error is invalid, immediately', async () => {
  const error = `...(method === 'tools/call' && { error: { code: -32000, message: 'no' } })`;
  const used = useProgram(`JSON.stringify({ jsonrpc: '2.0', id, ...outcome, ${error} })`);
  expect(await failureOf(used)).toMatchObject(twoOutcomes);
});

test('a string that only looks like a number is another id', async () => {
  for (const id of [(given: number) => `0${given}`, (given: number) => ` ${given}`, (given: number) => `${given}.0`]) {
    loose = { id };
    await expect(use()).rejects.toThrow('the response does not contain the answer');
  }
});
