import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkManifest } from '#features/catalogue/index.ts';
import { startTlsFront, trustTestCertificate } from '#testing/network/connect-proxy.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { startFaultServer, type Fault, type FaultServer } from '#testing/servers/fault-server.ts';
import { freePort } from '#testing/network/free-port.ts';
import { startHttpFixture } from '#testing/servers/mcp-fixture.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { startWebSocketFixture, type WebSocketFixture } from '#testing/servers/websocket-fixture.ts';
import { startListServer, type ListServer } from '../../catalogue/testing/list-server.ts';
import { manifestText, testingAdministrator, type ToldTest } from './testing/testing-administrator.ts';

type Fixture = Awaited<ReturnType<typeof startHttpFixture>>;

let app: TestApp;
let admin: Awaited<ReturnType<typeof testingAdministrator>>;
let legacy: Fixture;
let modern: Fixture;
let sockets: WebSocketFixture;
let faults: FaultServer;
let lists: ListServer;
let front: Awaited<ReturnType<typeof startTlsFront>>;
let deadPort: number;

beforeAll(async () => {
  legacy = await startHttpFixture('legacy');
  modern = await startHttpFixture('modern');
  sockets = await startWebSocketFixture();
  faults = await startFaultServer();
  lists = await startListServer('legacy');
  front = await startTlsFront(Number(new URL(modern.url).port));
  deadPort = await freePort();
  app = await startTestApp({
    allowAddresses: [
      ...[legacy, modern, sockets, faults, lists].map(({ address }) => address),
      `127.0.0.1:${deadPort}`,
      `client.example:${front.port}`,
    ],
    env: { ...withoutHealthChecks, UPSTREAM_HEADER_GUARDED__X_API_KEY: 'canary-key' },
    resolve(name, _options, callback) {
      if (name === 'client.example') callback(null, [{ address: '127.0.0.1', family: 4 }]);
      else if (name === 'inside.example') callback(null, [{ address: '10.1.2.3', family: 4 }]);
      else callback(Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND' }), []);
    },
  });
  admin = await testingAdministrator(app.publicUrl);
});
afterAll(async () => {
  await app?.stop();
  for (const fixture of [legacy, modern, sockets, faults, lists, front]) await fixture?.close();
});

/** The longest deadlines that a manifest may have: only what hangs reaches them. */
const patient = { connectMs: 30_000, listMs: 60_000 };
const over = (url: string, more: Record<string, unknown> = {}) =>
  admin.test({
    manifest: manifestText({
      id: 'tested',
      connection: { type: url.startsWith('ws') ? 'websocket' : 'http', url },
      deadlines: patient,
      ...more,
    }),
  });
const allOf = (...steps: string[]) => ['manifest passed', 'resolve passed', 'address passed', ...steps];
const read = ['connect passed', 'initialize passed', 'lists passed', 'findings passed'];

test('[MAN-14] a server is tested step by step, of either era and over WebSocket, and its tools are reported', async () => {
  const tested = await over(legacy.url);
  expect(tested.steps).toEqual(allOf('tls skipped', ...read));
  expect(tested.events[0]).toMatchObject({ type: 'started', steps: tested.steps.map((step) => step.split(' ')[0]) });
  expect(tested.end).toMatchObject({ result: 'passed', text: 'A deployment would work.' });
  expect(tested.step('resolve')?.text).toBe('127.0.0.1 is an address');
  expect(tested.step('address')?.text).toBe(`allowed by ${legacy.address} of UPSTREAM_ALLOW_ADDRESSES`);
  expect(tested.step('initialize')?.text).toBe('fixture 1.0.0, protocol 2025-11-25 (up to 2025-11-25)');
  expect(tested.step('lists')?.text).toBe('8 tools, 1 prompt, 2 resources');
  const tools = tested.events.find((event) => event.type === 'tools');
  expect(tools).toMatchObject({ prompts: 1, resources: 2, compared: null });
  expect(tools?.tools[0]).toEqual({ name: 'echo', exposedName: 'tested__echo', tokens: 24 });

  const other = await over(modern.url);
  expect(other.step('initialize')?.text).toBe('fixture 1.0.0, protocol 2026-07-28 (since 2026-07-28)');
  const socket = await over(sockets.url('healthy'));
  expect(socket.steps).toEqual(allOf('tls skipped', ...read));
  expect(sockets.openSockets()).toBe(0);
});

test('for an https address the certificate is reported, or why it is not trusted', async () => {
  const url = `https://client.example:${front.port}/mcp`;
  const refused = await over(url);
  expect(refused.steps.slice(0, 4)).toEqual(allOf('tls failed'));
  expect(refused.step('tls')?.text).toContain('its certificate is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT)');
  expect(refused.steps.slice(4)).toEqual(read.map((step) => step.replace('passed', 'not-reached')));
  const distrust = trustTestCertificate();
  try {
    const trusted = await over(url);
    expect(trusted.steps).toEqual(allOf('tls passed', ...read));
    expect(trusted.step('tls')?.text).toMatch(/^TLSv1\.3, certificate of client\.example, valid until .* 2126 GMT$/);
    expect(trusted.step('resolve')?.text).toBe('127.0.0.1');
    expect(trusted.step('connect')?.text).toBe('127.0.0.1');
  } finally {
    distrust();
  }
  const dead = await over(`https://127.0.0.1:${deadPort}/mcp`);
  expect(dead.steps.slice(0, 5)).toEqual(allOf('tls skipped', 'connect failed'));
});

test.each([
  ['an unknown name', 'https://nowhere.example/mcp', 'resolve', 'ENOTFOUND'],
  [
    'a name that resolves to a private address',
    'https://inside.example/mcp',
    'address',
    'is not a public address (10.1.2.3)',
  ],
  ['a port where nothing listens', 'http://127.0.0.1:PORT/mcp', 'connect', 'ECONNREFUSED'],
] as const)('%s fails at its step, with a reason', async (_, url, step, words) => {
  const told = await over(url.replace('PORT', String(deadPort)));
  expect(told.steps).toContain(`${step} failed`);
  expect(told.step(step)?.text).toContain(words);
  expect(told.end).toMatchObject({ result: 'failed' });
});

test.each([
  ['not JSON', '{', 'is not valid JSON'],
  ['without its fields', '{"id":"x"}', 'Missing required fields (id, name, serviceType)'],
  [
    'at a private address',
    manifestText({ id: 'x', connection: { type: 'http', url: 'http://2130706433/' } }),
    'connection.url',
  ],
  [
    'of a command',
    manifestText({ id: 'x', connection: { type: 'stdio', command: '/bin/sh' } }),
    'allow-list of commands',
  ],
  ['with a key twice', '{"id":"x","id":"y"}', 'is a duplicate key'],
  ['with a byte order mark', `\uFEFF${manifestText({ id: 'x' })}`, 'begins with a byte order mark'],
  ['of more than 256 KiB', `"${'é'.repeat(140 * 1024)}"`, 'is larger than 256 KiB'],
])('a manifest %s is refused at the first step like an upload', async (_, manifest, words) => {
  const told = await admin.test({ manifest });
  expect(told.steps[0]).toBe('manifest failed');
  expect(told.step('manifest')?.text).toContain(words);
  expect(told.steps.slice(1).every((step) => step.endsWith('not-reached'))).toBe(true);
  expect(told.end).toMatchObject({ result: 'failed' });
});

test('a manifest of 256 KiB full of quotes is read completely', async () => {
  const manifest = manifestText({ id: 'x', features: [] }).replace(
    '"features":[]',
    `"features":[${'"'.repeat(255 * 1024)}]`,
  );
  const told = await admin.test({ manifest });
  expect(told.step('manifest')?.text).toContain('is not valid JSON');
});

const inTime = 'does not answer in time';
const hostile: readonly [Fault, 'always' | 'on-call', 'initialize' | 'lists', string][] = [
  ['hang', 'always', 'initialize', inTime],
  ['hang-stream', 'always', 'initialize', inTime],
  ['html', 'always', 'initialize', 'does not answer with MCP'],
  ['garbage', 'always', 'initialize', 'does not answer with MCP'],
  ['wrong-id', 'always', 'initialize', ''],
  ['endless-garbage', 'always', 'initialize', ''],
  ['huge-json', 'always', 'initialize', ''],
  ['deep-json', 'always', 'initialize', ''],
  ['redirect', 'always', 'initialize', ''],
  ['reset', 'always', 'initialize', 'closed the connection'],
  ['unavailable', 'always', 'initialize', ''],
  ['unauthorized', 'always', 'initialize', 'a sign-in that its manifest does not mention'],
  ['many-tools', 'on-call', 'lists', 'more than 512 tools'],
  ['endless-pages', 'on-call', 'lists', ''],
];

test.each(hostile)(
  'a server with the fault %s (%s) fails at %s, with a reason, within its deadlines',
  async (fault, when, step, words) => {
    const hangs = words === inTime;
    const told = hangs ? await untilDeadline(fault) : await over(faults.url(fault, when));
    expect(told.steps).toContain(`${step} failed`);
    const text = told.step(step)?.text ?? '';
    expect(text).toContain(words);
    expect(text.length).toBeGreaterThan(10);
    // a server that responds does not reach the deadline
    expect(text.includes(inTime)).toBe(hangs);
    expect(told.end?.result).toBe('failed');
  },
);

/**
 * Tests a server that accepts a connection and never responds. A slow machine may need longer than a deadline to
 * connect.
 */
async function untilDeadline(fault: Fault): Promise<ToldTest> {
  for (const connectMs of [400, 4_000]) {
    const told = await over(faults.url(fault, 'always'), { deadlines: { ...patient, connectMs } });
    if (told.steps.includes('connect passed')) return told;
  }
  return over(faults.url(fault, 'always'));
}

test('findings list what clients would notice: items left out, hidden characters, names, schemas, prices, size', async () => {
  const schema = { type: 'object', properties: {} };
  lists.offer({
    tools: [
      { name: 'good', description: 'Does it.', inputSchema: schema, annotations: { readOnlyHint: true } },
      { name: 'sly', description: 'Says\u202E no.', inputSchema: schema },
      { name: `long-${'x'.repeat(70)}`, description: 'x', inputSchema: schema },
      { name: 'either', description: 'x', inputSchema: { ...schema, anyOf: [{ required: ['a'] }] } },
      { name: 'spaced', description: 'x', inputSchema: { type: 'object', properties: { 'First Name': {} } } },
      { name: 'wide', description: 'x'.repeat(9_000), inputSchema: schema },
      { name: 'huge', description: 'x'.repeat(70_000), inputSchema: schema },
      { name: 'good', inputSchema: schema },
    ],
    instructions: 'Be\u200B kind.',
  });
  const told = await over(lists.url, { billing: { tier: 'T0', toolCosts: { good: 1, gone: 4 } } });
  const text = told.findings.join('\n');
  expect(text).toMatch(/^huge: The tool is left out: the definition has 7\d+ bytes/m);
  expect(text).toMatch(/^good: The tool is left out: its name is listed twice\.$/m);
  expect(text).toMatch(/^sly: Its texts contain characters that hide or reorder text/m);
  expect(text).toMatch(
    /^long-x+: .*own name, of 75 characters.* On the all-servers link it is named tested__long-x+_[0-9a-f]{6}\.$/m,
  );
  expect(text).toMatch(
    /^either: Clients or models refuse a part of its schemas\. It is listed without: inputSchema\.anyOf\.$/m,
  );
  expect(text).toMatch(/^spaced: Some clients refuse its input schema: the name of the argument "First Name"\.$/m);
  expect(text).toMatch(/^wide: Its definition takes about 2\d\d\d tokens/m);
  expect(text).toMatch(/^gone: It has a price of 4 credits, and the server does not offer it\.$/m);
  expect(text).toMatch(/^: The server's instructions contain characters/m);
  expect(text).toMatch(/^: All tools together take about \d+ tokens/m);
  expect(text).not.toMatch(/^good: (?!The tool is left out)/m);
  expect(told.end?.result).toBe('passed');
});

test('a stored version is tested alongside the deployed one, which is not affected', async () => {
  const schema = { type: 'object' };
  const tool = (name: string, more: object = {}) => ({ name, description: name, inputSchema: schema, ...more });
  lists.offer({ tools: [tool('kept'), tool('texted'), tool('changed'), tool('removed')] });
  const manifest = { id: 'live', connection: { type: 'http', url: lists.url }, deadlines: patient };
  await deployManifest(app, manifest);
  const before = app.catalogue.snapshot().servers;
  const figuresBefore = app.upstreams.pool.figures();
  lists.offer({
    tools: [
      tool('kept'),
      { ...tool('texted'), description: 'said otherwise' },
      tool('changed', { annotations: { destructiveHint: true } }),
      tool('added'),
    ],
  });
  const told = await admin.test({ serverId: 'live' });
  expect(told.step('manifest')?.text).toBe('live 1.0.0');
  expect(told.events.find((event) => event.type === 'tools')).toMatchObject({
    compared: { added: ['added'], removed: ['removed'], changed: ['changed'] },
  });
  // a failed test neither opens the circuit nor changes the status
  for (let failure = 0; failure < 6; failure++)
    await over(faults.url('reset', 'always'), { id: 'live', version: '2.0.0' });
  expect(app.catalogue.snapshot().servers).toEqual(before);
  expect(app.upstreams.pool.figures()).toEqual(figuresBefore);
  expect(app.upstreams.pool.circuitOf('live')).toBe('closed');
});

test('an unknown version is not found', async () => {
  for (const body of [{ serverId: 'unknown' }, { serverId: 'live', version: '9.9.9' }]) {
    const answer = await admin.open(body);
    await answer.ended;
    expect(answer.status).toBe(404);
  }
});

test('a header of the operator is sent as in a deployment, and its value appears nowhere', async () => {
  const auth = { type: 'headers', headers: [{ name: 'X-Api-Key', from: 'operator' }] };
  legacy.seen.requests.length = 0;
  // before the first deployment no address may receive it, and an unsaved manifest leaves no trace
  const unsaved = await over(legacy.url, { id: 'guarded', auth });
  expect(unsaved.end).toMatchObject({
    result: 'failed',
    text: 'UPSTREAM_HEADER_GUARDED__X_API_KEY is sent only to an address of a version that is stored. Save this one to staging, and test it again.',
  });
  const saved = manifestText({
    id: 'guarded',
    connection: { type: 'http', url: legacy.url },
    auth,
    deadlines: patient,
  });
  await app.catalogue.upload(checkManifest(JSON.parse(saved), app.policy), { via: 'command' });
  expect((await over(modern.url, { id: 'guarded', auth })).end?.text).toContain('Save this one to staging');
  expect(
    [...legacy.seen.requests, ...modern.seen.requests].flatMap(({ headers }) => headers['x-api-key'] ?? []),
  ).toEqual([]);
  const told = await over(legacy.url, { id: 'guarded', auth });
  expect(told.end?.result).toBe('passed');
  expect(legacy.seen.requests[0]?.headers['x-api-key']).toBe('canary-key');
  expect(JSON.stringify(told.events)).not.toContain('canary-key');
  const unset = await over(legacy.url, { id: 'other', auth });
  expect(unset.step('manifest')?.text).toContain('UPSTREAM_HEADER_OTHER__X_API_KEY is not set');
});

test('a demo service is reached at the address where it runs, also if none of it is deployed', async () => {
  const path = new URL('../../../../../../catalogue/deployed/travel.json', import.meta.url);
  const manifest = { ...JSON.parse(readFileSync(path, 'utf8')), deadlines: patient };
  const told = await admin.test({ manifest: JSON.stringify(manifest) });
  expect(told.step('address')?.text).toBe('where the service travel of this installation runs');
  expect(told.end?.result).toBe('passed');
});
