import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { asRecord } from '#platform/json.ts';
import { listenLocally } from '#testing/servers/listen-locally.ts';
import { answerBy } from '#testing/servers/rpc-answer.ts';
import type { UpstreamTarget } from '../target.ts';
import { callOptions, failureOf, optionsFor, trackUpstreams, ways } from '../testing/open-for-test.ts';

// Behavior of public servers that the specification does not foresee, and that other gateways were reported to fail on.

const { open, closeAll } = trackUpstreams();
afterEach(closeAll);

type Answer = (response: ServerResponse, request: IncomingMessage, body: Record<string, unknown>) => void;

const tools = [{ name: 'any', inputSchema: { type: 'object' } }];
const legacyResults = {
  initialize: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'odd', version: '1' },
  },
  'tools/list': { tools },
  'tools/call': { content: [{ type: 'text', text: 'well' }] },
};

/** A server older than 2026-07-28, with its own answers to these methods. */
async function start(own: Record<string, Answer>, results: Record<string, unknown> = legacyResults) {
  const requests: { method: unknown; headers: IncomingMessage['headers'] }[] = [];
  const server = await listenLocally(
    createServer(async (request, response) => {
      if (request.method !== 'POST') return void response.writeHead(405).end();
      const body = asRecord(JSON.parse(await text(request))) ?? {};
      const { id, method } = body;
      requests.push({ method, headers: request.headers });
      const answer = own[String(method)];
      if (answer) return answer(response, request, body);
      if (id === undefined) return void response.writeHead(202).end();
      answerBy(response, { id, method }, results);
    }),
  );
  onTestFinished(() => server.close());
  const address = `127.0.0.1:${server.port}`;
  const target = (headers = {}): UpstreamTarget => ({
    type: 'http',
    url: `http://${address}/mcp`,
    headers,
    allowAddresses: [address],
  });
  return { target, requests };
}

const send =
  (status: number, body: string, type = 'application/json'): Answer =>
  (response) =>
    void response.writeHead(status, { 'content-type': type }).end(body);

test.each<[string, Answer]>([
  ['500', send(500, 'Internal Server Error', 'text/plain')],
  ['500 with a JSON-RPC error', send(500, '{"jsonrpc":"2.0","id":0,"error":{"code":-32603,"message":"no"}}')],
  ['502', send(502, '')],
  ['403 with a page', send(403, '<html></html>', 'text/html')],
  ['404 with a JSON string', send(404, '"Invalid session ID"')],
  ['an object that is not a message', send(200, '{}')],
  ['a text', send(200, 'OK', 'text/plain')],
  ['a dropped connection', (response) => void response.destroy()],
])('a server that answers server/discover with %s is opened with initialize', async (_what, answer) => {
  const { target, requests } = await start({ 'server/discover': answer });
  const upstream = await open(target());
  expect(upstream.era).toBe('legacy');
  expect(requests.map(({ method }) => method).slice(0, 2)).toEqual(['server/discover', 'initialize']);
});

test('a server that never answers server/discover is opened with initialize', async () => {
  const { target } = await start({ 'server/discover': () => {} });
  expect((await open(target(), { probeTimeoutMs: 100 })).era).toBe('legacy');
});

test('an error that a server returns for every request is reported as the reason why it could not be opened', async () => {
  const all = send(500, 'broken', 'text/plain');
  const { target } = await start({ 'server/discover': all, initialize: all });
  expect(await failureOf(open(target()))).toMatchObject({ kind: 'bad_upstream', message: 'HTTP 500' });
  const unknown = send(200, '{"jsonrpc":"2.0","id":0,"error":{"code":-32601,"message":"Method not found"}}');
  const modern = await start({ 'server/discover': all, initialize: unknown });
  expect((await failureOf(open(modern.target()))).message).toBe('HTTP 500');
});

test('each request names its client and asks for an uncompressed response; a manifest may override both', async () => {
  const { target, requests } = await start({});
  const upstream = await open(target());
  await upstream.callTool({ name: 'any' }, callOptions());
  expect(requests.map(({ method }) => method)).toContain('tools/call');
  for (const { headers } of requests) {
    expect(headers).toMatchObject({ 'user-agent': expect.stringMatching(/^souk\/\d/), 'accept-encoding': 'identity' });
  }
  requests.length = 0;
  const own = await open(target({ 'User-Agent': 'Acme/2' }));
  await own.callTool({ name: 'any' }, callOptions());
  for (const { headers } of requests) expect(headers['user-agent']).toBe('Acme/2');
});

test('errors name a response that is compressed anyway, and a redirect', async () => {
  const zipped: Answer = (response) =>
    void response
      .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
      .end(gzipSync('{"jsonrpc":"2.0","id":0,"result":{}}'));
  const { target } = await start({ 'tools/list': zipped, 'tools/call': zipped });
  const upstream = await open(target());
  const compressed = { kind: 'bad_upstream', message: expect.stringMatching(/^the answer is compressed \(gzip\)/) };
  expect(await failureOf(upstream.listTools())).toMatchObject(compressed);
  expect(await failureOf(upstream.callTool({ name: 'any' }, callOptions()))).toMatchObject(compressed);

  const moved: Answer = (response) => void response.writeHead(307, { location: 'https://odd.example/mcp/' }).end();
  const redirecting = await start({ 'server/discover': moved, initialize: moved });
  expect((await failureOf(open(redirecting.target()))).message).toBe(
    'redirects are not followed (HTTP 307 to https://odd.example/mcp/)',
  );
});

test.each<[number, string, string, string, number]>([
  [422, '{"detail":"city is required"}', 'application/json', 'HTTP 422: {"detail":"city is required"}', -32600],
  [400, 'city\n is   required', 'text/plain', 'HTTP 400: city is required', -32600],
  [
    400,
    `{"title":"${'x'.repeat(5000)}"}`,
    'application/problem+json',
    `HTTP 400: {"title":"${'x'.repeat(490)}`,
    -32600,
  ],
  [
    500,
    '{"jsonrpc":"2.0","id":7,"error":{"code":-32000,"message":"no such city"}}',
    'application/json',
    'no such city',
    -32000,
  ],
])('the error text of a call that is refused with %i reaches the client', async (status, body, type, message, code) => {
  const { target } = await start({ 'tools/call': send(status, body, type) });
  const upstream = await open(target());
  for (const way of ways) {
    const failure = await failureOf(upstream.callTool({ name: 'any' }, optionsFor(way)()));
    expect(failure, way).toMatchObject({ kind: 'protocol', code, message });
  }
});

test.each([
  ['a page', 400, '<html>no</html>', 'text/html'],
  ['an error that may repeat the key', 403, 'the key sk-123 is not valid', 'text/plain'],
])('%s is not shown to models', async (_what, status, body, type) => {
  const { target } = await start({ 'tools/call': send(status, body, type) });
  const upstream = await open(target());
  for (const way of ways) {
    const failure = await failureOf(upstream.callTool({ name: 'any' }, optionsFor(way)()));
    expect(failure, way).toMatchObject({ kind: 'bad_upstream', message: `HTTP ${status}` });
  }
});

const object = { type: 'object' } as const;
/** The schema as written, the schema as listed, and the places where something was removed. */
const schemas: [what: string, written: object, listed: object, places: string[]][] = [
  [
    'a type that is none',
    { ...object, properties: { a: { type: 'any' } } },
    { ...object, properties: { a: {} } },
    ['properties.a.type'],
  ],
  [
    'required within properties',
    { ...object, properties: { coin: { type: 'string' }, required: ['coin'] } },
    { ...object, properties: { coin: { type: 'string' } } },
    ['properties.required'],
  ],
  [
    'required: true',
    { ...object, properties: { a: { type: 'string', required: true } } },
    { ...object, properties: { a: { type: 'string' } } },
    ['properties.a.required'],
  ],
  [
    'an empty enum',
    { ...object, properties: { a: { enum: [] } } },
    { ...object, properties: { a: {} } },
    ['properties.a.enum'],
  ],
  [
    'a limit that is a text',
    { ...object, properties: { a: { maxLength: '5', exclusiveMinimum: true } } },
    { ...object, properties: { a: {} } },
    ['properties.a.maxLength', 'properties.a.exclusiveMinimum'],
  ],
  [
    'a pattern of another language',
    { ...object, properties: { a: { type: 'string', pattern: '^(?P<id>[a-z]+)$' } } },
    { ...object, properties: { a: { type: 'string' } } },
    ['properties.a.pattern'],
  ],
  [
    'references that lead nowhere, and one that does not',
    {
      ...object,
      $defs: { B: { type: 'string' } },
      properties: { a: { $ref: '#/$defs/A' }, b: { $ref: '#/$defs/B' }, c: { items: { $ref: 'https://x.example/s' } } },
    },
    { ...object, $defs: { B: { type: 'string' } }, properties: { a: {}, b: { $ref: '#/$defs/B' }, c: { items: {} } } },
    ['properties.a.$ref', 'properties.c.items.$ref'],
  ],
  [
    'a list that does not say of what',
    { ...object, properties: { a: { type: ['array', 'null'] } } },
    { ...object, properties: { a: { type: ['array', 'null'], items: {} } } },
    [],
  ],
  [
    'an id',
    { ...object, $id: 'https://x.example/r', properties: { id: { type: 'string' } } },
    { ...object, properties: { id: { type: 'string' } } },
    [],
  ],
];

test.each(schemas)('a schema is listed without its invalid parts: %s', async (_what, written, listed, places) => {
  const tool = { name: 'odd', inputSchema: written, outputSchema: written };
  const { target } = await start({}, { ...legacyResults, 'tools/list': { tools: [tool, ...tools] } });
  const upstream = await open(target());
  expect(await upstream.listTools()).toEqual([{ name: 'odd', inputSchema: listed, outputSchema: listed }, tools[0]]);
  expect(upstream.leftOut()).toEqual([]);
  const both = ['inputSchema', 'outputSchema'].flatMap((member) => places.map((place) => `${member}.${place}`));
  expect(upstream.mended()).toEqual(both.length === 0 ? [] : [{ name: 'odd', places: both }]);
  // the texts are those of the list that was read last
  await upstream.listTools();
  expect(upstream.mended()).toHaveLength(both.length === 0 ? 0 : 1);
});

test('an input schema that is a union at the top level is listed as an object with the properties of its parts', async () => {
  const a = { type: 'string' };
  const b = { type: 'number' };
  const listedAs = async (inputSchema: object) => {
    const { target } = await start({}, { ...legacyResults, 'tools/list': { tools: [{ name: 'odd', inputSchema }] } });
    return (await (await open(target())).listTools())[0]?.inputSchema;
  };
  expect(
    await listedAs({
      ...object,
      properties: { c: a },
      required: ['c'],
      oneOf: [{ properties: { a }, required: ['a'] }, { $ref: '#/$defs/B' }],
      $defs: { B: { ...object, properties: { b, c: b } } },
    }),
  ).toEqual({
    ...object,
    properties: { a, b, c: a },
    required: ['c'],
    $defs: { B: { ...object, properties: { b, c: b } } },
  });
  expect(await listedAs({ allOf: [{ properties: { a }, required: ['a'] }], if: { required: ['b'] } })).toEqual({
    ...object,
    properties: { a },
    required: ['a'],
  });
  const sound = { ...object, properties: { a: { oneOf: [a, b] } } };
  expect(await listedAs(sound), 'a nested union stays').toEqual(sound);
});

test('tools that a server lists without announcing them are available', async () => {
  const results = { ...legacyResults, initialize: { ...legacyResults.initialize, capabilities: {} } };
  const { target } = await start({}, results);
  const upstream = await open(target());
  expect((await upstream.listTools()).map(({ name }) => name)).toEqual(['any']);
});
