import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Era } from '#adapters/mcp/upstream.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { postModern, postRaw, type RawAnswer } from '#testing/people/mcp-clients.ts';
import { openSession, type SessionHeaders } from '#testing/people/open-session.ts';
import { sampled } from '#testing/figures/sample.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { takeUsageRows } from '#testing/figures/usage-rows.ts';
import { startAnsweringServer, type AnsweringServer } from './testing/answering-server.ts';
import { answers, lateQuestions, modernAnswers, modernQuestions } from './testing/scripted-answers.ts';

// One table of calls, sent on three paths: the fast path on both sides, the SDK on the client's side, and the SDK on
// both sides. The client must not see a difference.

/** Capabilities of a client that cannot answer any question, and of one that can answer every question. */
const clients = {
  'no questions': {},
  'all questions': { elicitation: { form: {}, url: {} }, sampling: {}, roots: { listChanged: true } },
} as const;
type Able = keyof typeof clients;
const ables = ['no questions', 'all questions'] as const satisfies Able[];

const eras: readonly Era[] = ['modern', 'legacy'];
const servers = new Map<Era, AnsweringServer>();
let app: TestApp;
let token: string;
/** Sessions of the client that can answer no question, and of the one that can answer every question. */
const sessions = new Map<Able, SessionHeaders>();

beforeAll(async () => {
  for (const era of eras)
    servers.set(
      era,
      await startAnsweringServer(era, { ...answers, ...modernAnswers, ...modernQuestions, ...lateQuestions }),
    );
  app = await startTestApp({
    allowAddresses: [...servers.values()].map((server) => server.address),
    env: { MCP_CALLS_PER_MINUTE_TOKEN: '10000', MCP_CALLS_PER_MINUTE_USER: '10000' },
  });
  ({ token } = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' }));
  const connection = { type: 'http', url: servers.get('modern')?.url };
  await deployManifest(app, { id: 'off', connection });
  await deployManifest(app, { id: 'paid', connection, billing: { tier: 'T2' } });
  const { rows } = await app.db.query<{ id: string }>(`select id from users where email = 'ann@souk.test'`);
  await app.upstreams.preferences.switchOff(rows[0]?.id ?? '', 'off');
  for (const [era, server] of servers) {
    await deployManifest(app, {
      id: era,
      connection: { type: 'http', url: server.url },
      deadlines: { callMs: 300_000 },
    });
  }
  for (const [able, capabilities] of Object.entries(clients)) {
    sessions.set(
      able as Able,
      await openSession(`${app.publicUrl}/mcp`, token, { revision: '2025-06-18', capabilities }),
    );
  }
});
afterAll(async () => {
  await app?.stop();
  await Promise.all([...servers.values()].map((server) => server.close()));
});

/** `mixed`: the SDK's server receives the call, and the upstream sends it on the fast path. */
type Way = 'fast' | 'mixed' | 'sdk';
type Call = {
  downstream: Era;
  able: Able;
  name: string;
  params?: Record<string, unknown>;
  id?: unknown;
  meta?: Record<string, unknown>;
  /** Headers that replace the call's own; '' leaves one out. */
  headers?: Record<string, string>;
};

function send(
  way: Way,
  { downstream, able, params = {}, id = 7, meta = {}, headers = {}, ...call }: Call,
): Promise<RawAnswer> {
  const name = way === 'sdk' ? call.name.replace('__say', '__mirrored') : call.name;
  const body = (envelope: object) =>
    JSON.stringify({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name, ...params, _meta: { ...meta, ...envelope } },
    });
  // an unusual content type goes to the SDK
  const type = way === 'fast' ? 'application/json' : 'application/json; charset=utf-8';
  const own = { authorization: `Bearer ${token}`, 'content-type': type };
  if (downstream === 'legacy') {
    return postRaw(`${app.publicUrl}/mcp`, body({}), { ...own, ...sessions.get(able) });
  }
  const envelope = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    // each path acts as a separate client: a client that repeats a call without its answer is not asked again
    'io.modelcontextprotocol/clientInfo': { name: way, version: '1' },
    'io.modelcontextprotocol/clientCapabilities': clients[able],
  };
  const mirrored = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name, ...headers };
  const given = Object.entries(mirrored).filter(([, value]) => value !== '');
  return postRaw(`${app.publicUrl}/mcp`, body(envelope), { ...own, ...Object.fromEntries(given) });
}

/** Returns everything that a caller can see, and what the server received. A session may answer in a stream or not. */
async function observe(way: Way, call: Call, upstream: Era) {
  servers.get(upstream)?.takeCalls();
  const answer = await send(way, call);
  const seen = servers.get(upstream)?.takeCalls() ?? [];
  const rows = (await takeUsageRows(app)).map(({ outcome, reason, credits, name }) => ({
    outcome,
    reason,
    credits,
    name,
  }));
  const messages = answer.text.startsWith('{')
    ? [answer.text]
    : answer.text.split('\n').flatMap((line) => (line.startsWith('data: {') ? [line.slice(6)] : []));
  return {
    wentFast: seen.some(({ message }) => Number(message['id']) >= 1_000_000_000),
    told: {
      status: answer.status,
      ...(call.downstream === 'modern' && { type: answer.headers.get('content-type') }),
      messages: messages.map((text): unknown => JSON.parse(text.replace(ofEachCall, '"$1":""'))),
    },
    rows: rows.map((row) => ({ ...row, name: row.name.replace('mirrored', 'say') })),
    sent: seen.map(({ headers, message }) => ({
      message: withoutIds(message),
      version: headers['mcp-protocol-version'],
      method: headers['mcp-method'],
      name: headers['mcp-name']?.toString().replace('mirrored', 'say'),
      accept: headers.accept,
      type: headers['content-type'],
      authorization: headers.authorization,
    })),
  };
}

/** Matches values that differ in each question: an id, and a state with its time. */
const ofEachCall = /"(elicitationId|requestState)":"[^"]+"/;

/** Removes ids and progress tokens, which differ in each hop. */
function withoutIds(message: Record<string, unknown>): unknown {
  return JSON.parse(
    JSON.stringify({ ...message, id: 0 })
      .replace(/"progressToken":\d+/, '"progressToken":0')
      .replace('"name":"mirrored"', '"name":"say"'),
  );
}

/** Observes a call sent on each path, and whether it reached the server on the fast path. */
async function everyWay(call: Call, upstream: Era) {
  const seen = [];
  // a success first: all paths fail alike, and repeated failures would open the server's circuit
  await send('fast', { ...call, name: `${upstream}__say`, params: { arguments: { what: 'text' } }, id: 1, meta: {} });
  await takeUsageRows(app);
  for (const way of ['fast', 'mixed', 'sdk'] as const) seen.push(await observe(way, call, upstream));
  const [fast, ...others] = seen.map((each) => ({ told: each.told, rows: each.rows, sent: each.sent }));
  return { fast, others, wentFast: seen.map(({ wentFast }) => wentFast) };
}

test.each(Object.keys(modernQuestions).flatMap((what) => ables.map((able) => ({ what, able }))))(
  'a modern client of a modern server gets the same question on each path: $what, $able',
  async ({ what, able }) => {
    const call: Call = { downstream: 'modern', able, name: 'modern__say', params: { arguments: { what } } };
    const { fast, others, wentFast } = await everyWay(call, 'modern');
    expect(wentFast).toEqual([true, true, false]);
    expect(others).toEqual([fast, fast]);
  },
);

test.each(Object.keys(lateQuestions))(
  'a client that cannot answer questions is told the same on each path, on an open stream: %s',
  async (what) => {
    const params = { arguments: { what } };
    const call: Call = { downstream: 'modern', able: 'no questions', name: 'modern__say', params };
    const { fast, others, wentFast } = await everyWay({ ...call, meta: { progressToken: 'p1' } }, 'modern');
    expect(wentFast).toEqual([true, true, false]);
    expect(fast?.told.messages).toHaveLength(2);
    expect(others).toEqual([fast, fast]);
  },
);

test.each(['a key twice', 'a key twice, among many'])(
  'a client whose JSON parser takes the first of two values reads what we checked: %s',
  async (what) => {
    const params = { arguments: { what } };
    const { text } = await send('fast', { downstream: 'modern', able: 'no questions', name: 'modern__say', params });
    expect(text.match(/"a":\d/g)).toEqual(['"a":2']);
  },
);

const pairs = ables.flatMap((able) =>
  eras.flatMap((downstream) => eras.map((upstream) => ({ able, downstream, upstream }))),
);
const answeredCalls = pairs.flatMap(({ able, downstream, upstream }) =>
  Object.keys(downstream === 'modern' ? { ...answers, ...modernAnswers } : answers).map((what) => ({
    able,
    downstream,
    upstream,
    what,
  })),
);
const requests: [what: string, Omit<Call, 'downstream' | 'able' | 'name'>][] = [
  ['an id that is text', { id: 'a "quoted" \u00e9 id', params: { arguments: { what: 'text' } } }],
  ['a negative id', { id: -5, params: { arguments: { what: 'text' } } }],
  ['no arguments', {}],
  ['arguments with everything in them', { params: { arguments: { what: 'text', a: [null, { b: '\u2028"\\' }] } } }],
  ['meta of its own', { params: { arguments: { what: 'text' } }, meta: { 'example.com/x': [1], traceparent: '00-1' } }],
  ['progress wished for', { params: { arguments: { what: 'progress on the way' } }, meta: { progressToken: 'p1' } }],
  [
    'keys that the protocol reserves',
    {
      params: { arguments: { what: 'text' } },
      meta: { 'io.modelcontextprotocol/logLevel': 'debug', 'io.modelcontextprotocol/other': 1 },
    },
  ],
  [
    'the envelope of the other era',
    { params: { arguments: { what: 'text' } }, meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } },
  ],
  ['progress wished for in vain', { params: { arguments: { what: 'text' } }, meta: { progressToken: 4 } }],
  ['arguments that are a list', { params: { arguments: ['what'] } }],
  ['arguments that are null', { params: { arguments: null } }],
  ['a member that no call has', { params: { arguments: { what: 'text' }, colour: 'red' } }],
  ['an id that is a fraction', { id: 1.5, params: { arguments: { what: 'text' } } }],
  ['an id that is null', { id: null, params: { arguments: { what: 'text' } } }],
  ['a token of no type', { params: { arguments: { what: 'text' } }, meta: { progressToken: {} } }],
];
const requestsOfPairs = pairs.flatMap((pair) => requests.map(([what, rest]) => ({ ...pair, what, rest })));
/** Whether each path of an ordinary call reaches its server on the fast path. */
const waysOfPlain = [true, true, false];
const table = [
  ...answeredCalls.map((each) => ({ ...each, rest: { params: { arguments: { what: each.what } } }, isPlain: true })),
  ...requestsOfPairs.map((each) => ({ ...each, isPlain: false })),
];
test.each(sampled(table))(
  '[tables] a $downstream client of a $upstream server, with $able, sends and receives the same on each path: $what',
  async ({ able, downstream, upstream, rest, isPlain }) => {
    const call: Call = { downstream, able, name: `${upstream}__say`, ...rest };
    const { fast, others, wentFast } = await everyWay(call, upstream);
    expect(isPlain ? wentFast : waysOfPlain).toEqual(waysOfPlain);
    expect(others).toEqual([fast, fast]);
  },
);

test.each([
  { 'mcp-name': 'modern__other' },
  { 'mcp-name': '' },
  { 'mcp-method': 'tools/list' },
  { 'mcp-method': '' },
  { 'mcp-protocol-version': '2025-11-25' },
  { 'mcp-protocol-version': '' },
])('security row 5: a call for the fast path is refused if its headers do not match its body: %j', async (headers) => {
  const params = { arguments: { what: 'text' } };
  const call: Call = { downstream: 'modern', able: 'no questions', name: 'modern__say', params };
  expect((await observe('fast', call, 'modern')).wentFast).toBe(true);
  const refused = await observe('fast', { ...call, headers }, 'modern');
  expect(refused.told).toMatchObject({ status: 400, messages: [{ error: { code: -32020 } }] });
  expect([refused.sent, refused.rows]).toEqual([[], []]);
});

test.each(eras)('a %s server cannot set our keys in `_meta` of a result or a tool', async (era) => {
  for (const downstream of eras) {
    for (const way of ['fast', 'mixed', 'sdk'] as const) {
      const params = { arguments: { what: 'meta that only we may write' } };
      const { text } = await send(way, { downstream, able: 'no questions', name: `${era}__say`, params });
      expect(text).toContain('"theirs":1');
      expect(text).not.toContain('souk/');
    }
  }
  const listed = (await postModern(`${app.publicUrl}/mcp`, token, 'tools/list')).body.result;
  expect(JSON.stringify(listed)).toContain('"answering/mark":true');
  expect(JSON.stringify(listed)).not.toContain('souk/');
});

/** Reasons why a call is refused before any server is contacted. */
const refused: Record<string, { name: string; row: Record<string, unknown>; text: RegExp }> = {
  'switched off': {
    name: 'off__say',
    row: { outcome: 'refused', reason: 'switched_off', name: 'say' },
    text: /off is switched off\. Turn it on: http:[^"]*\/service\/off".*"isError":true/,
  },
  'not included': {
    name: 'paid__say',
    row: { outcome: 'refused', reason: 'not_included', name: 'say' },
    text: /paid is not in your plan\.[^"]* Get it: http:[^"]*\/service\/paid".*"isError":true/,
  },
  'a tool that a switched-off server does not have': {
    name: 'off__nothing',
    row: { outcome: 'refused', reason: 'unknown', name: 'off__nothing' },
    text: /"code":-32602,"message":"Unknown tool: off__nothing"/,
  },
  'of a server that is not deployed': {
    name: 'staged__echo',
    row: { outcome: 'refused', reason: 'unknown', name: 'staged__echo' },
    text: /"code":-32602,"message":"Unknown tool: staged__echo"/,
  },
  'a tool that no server has': {
    name: 'modern__nothing',
    row: { outcome: 'refused', reason: 'unknown', name: 'modern__nothing' },
    text: /"code":-32602,"message":"Unknown tool: modern__nothing"/,
  },
};
/** No server is contacted: of each era one client, which can answer every question or none. */
const refusedPairs = [
  { downstream: 'modern', able: 'all questions' },
  { downstream: 'legacy', able: 'no questions' },
] as const;
test.each(Object.keys(refused).flatMap((what) => refusedPairs.map((pair) => ({ ...pair, what }))))(
  'a refused call has the same answer on each path: $what, $downstream, $able',
  async ({ what, downstream, able }) => {
    const upstream = 'modern';
    const { name = '', row, text } = refused[what] ?? {};
    const direct: Call = { downstream, able, name, params: { arguments: {} } };
    const { fast, others } = await everyWay(direct, upstream);
    expect(others).toEqual([fast, fast]);
    expect(JSON.stringify(fast?.told.messages)).toMatch(text ?? /never/);
    expect(fast?.rows).toMatchObject([row]);
    // through the tools that call tools
    for (const meta of ['call_tool', 'call_read_only_tool']) {
      const through = await everyWay({ ...direct, name: meta, params: { arguments: { name } } }, upstream);
      expect([through.fast, ...through.others]).toEqual([fast, fast, fast]);
    }
  },
);
