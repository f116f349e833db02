import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { giveCredits } from '#testing/people/grant-credits.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { startWebSocketFixture, type WebSocketFixture } from '#testing/servers/websocket-fixture.ts';
import { startRun } from '../tool-runs/testing/start-run.ts';
import {
  answeredWrongly,
  charged,
  connect,
  given,
  pairs,
  price,
  startPromisingServers,
  ways,
  type PromisingServers,
} from './testing/promising-servers.ts';

// Results that visibly break the outputSchema of their tool, without validation: on every path, for both eras, nothing
// is charged, even if the manifest charges errors.

let app: TestApp;
let folder: string;
let servers: PromisingServers;
let socket: WebSocketFixture;

beforeAll(async () => {
  const root = join(import.meta.dirname, '../../../../../..');
  folder = await mkdtemp(join(tmpdir(), 'souk-results-'));
  const stdioAllowlist = join(folder, 'allowlist.json');
  const argv = ['{node}', join(root, 'apps/broker/src/testing/servers/fault-stdio.ts'), 'wrong-results'];
  await writeFile(stdioAllowlist, JSON.stringify({ 'wrong-results': { argv, reads: [root] } }));
  [servers, socket] = await Promise.all([startPromisingServers(), startWebSocketFixture()]);
  app = await startTestApp({
    paths: { stdioAllowlist },
    allowAddresses: [...servers.addresses, socket.address],
    env: { ...withoutHealthChecks, MCP_CALLS_PER_MINUTE_TOKEN: '100000', MCP_CALLS_PER_MINUTE_USER: '100000' },
  });
  await servers.deploy(app);
  const billing = { tier: 'T0', toolCosts: { echo: price }, chargeOnErrors: true };
  await deployManifest(app, { id: 'program', connection: { type: 'stdio', command: 'wrong-results' }, billing });
  const url = socket.url('wrong-results');
  await deployManifest(app, { id: 'socket', connection: { type: 'websocket', url }, billing });
});
afterAll(async () => {
  await app?.stop();
  await Promise.all([servers?.close(), socket?.close(), rm(folder, { recursive: true, force: true })]);
});

const bad = [
  'not there',
  'not there, in an event',
  'not there, beside annotations',
  'of isError false',
  'a list',
  'null',
  'a text',
];

test.each(pairs)(
  'a result that breaks its outputSchema is not forwarded and not charged: a $client client, a $server server, $way',
  async ({ client, server, way }) => {
    const ann = await connect(app, client, way);
    for (const what of bad) {
      expect(await ann.call(server, what), what).toMatchObject(answeredWrongly(server));
      expect(await ann.newest(), what).toEqual({ outcome: 'failed', reason: 'bad_result', credits: 0 });
    }
    expect(await ann.balance()).toBe(given);
    // the server responds: five in a row open no circuit
    expect(app.upstreams.pool.isCircuitOpen(server)).toBe(false);
    // the type of its members is not checked, and an error needs no structured content
    for (const what of ['good', 'of another member', 'an error']) {
      expect(await ann.call(server, what), what).toMatchObject(charged);
    }
    expect(await ann.balance()).toBe(given - 3 * price);
  },
);

test.each(pairs)(
  'a response with both a result and an error is invalid: a $client client, a $server server, $way',
  async ({ client, server, way }) => {
    const ann = await connect(app, client, way);
    for (const what of ['a result and an error', 'a result and an error, in an event']) {
      const refused = { isError: true, _meta: { 'souk/code': 'bad_upstream' } };
      expect(await ann.call(server, what), what).toMatchObject(refused);
      expect(await ann.newest(), what).toEqual({ outcome: 'failed', reason: 'bad_upstream', credits: 0 });
      expect(await ann.call(server, 'an error')).toMatchObject(charged);
    }
    expect(await ann.balance()).toBe(given - 2 * price);
  },
);

test.each(ways)('a question needs no structuredContent, and the result after its answer does: %s', async (way) => {
  const ann = await connect(app, 'modern', way);
  const asked = await ann.call('modern', 'a question');
  expect(asked).toMatchObject({ resultType: 'input_required' });
  expect(await ann.newest()).toEqual({ outcome: 'refused', reason: 'input_required', credits: 0 });
  const { requestState } = { requestState: undefined, ...asked };
  expect(await ann.call('modern', 'a question', { requestState })).toMatchObject(answeredWrongly('modern'));
  expect(await ann.newest()).toEqual({ outcome: 'failed', reason: 'bad_result', credits: 0 });
  expect(await ann.balance()).toBe(given);
});

test.each(ways)('an outputSchema of 2026-07-28 may promise several types, or any: %s', async (way) => {
  const ann = await connect(app, 'modern', way);
  for (const what of ['null', 'a number']) expect(await ann.call('some', what), what).toMatchObject(charged);
  for (const what of ['good', 'a list', 'a text', 'a fraction', 'not there']) {
    expect(await ann.call('some', what), what).toMatchObject(answeredWrongly('some'));
  }
  for (const what of ['null', 'a list', 'a text', 'good']) {
    expect(await ann.call('any', what), what).toMatchObject(charged);
  }
  expect(await ann.call('any', 'not there')).toMatchObject(answeredWrongly('any'));
  expect(await ann.balance()).toBe(given - 6 * price);
});

test.each(['program', 'socket'])('the check also applies to a server on another transport: %s', async (id) => {
  const ann = await connect(app, 'modern', 'fast');
  const params = { name: `${id}__echo`, arguments: { text: 'x' } };
  expect(await ann.call(id, '', params)).toMatchObject(answeredWrongly(id));
  expect(await ann.newest()).toEqual({ outcome: 'failed', reason: 'bad_result', credits: 0 });
  expect(await ann.balance()).toBe(given);
});

test('the check also applies to a tool that is called through call_tool', async () => {
  const ann = await connect(app, 'modern', 'fast');
  const inner = { name: 'modern__say', arguments: { what: 'not there' } };
  const through = { name: 'call_tool', arguments: inner };
  expect(await ann.call('', '', through)).toMatchObject(answeredWrongly('modern'));
  expect(await ann.balance()).toBe(given);
});

test('the check also applies to a tool that is run from the web app', async () => {
  const { accessToken: token } = await new ScriptedBrowser(app.publicUrl).signInWeb({ email: 'web@souk.test' });
  await giveCredits(app, 'web@souk.test', given);
  const run = await startRun({ token, publicUrl: app.publicUrl }, 'modern', 'say', { what: 'not there' });
  const { _meta, content } = answeredWrongly('modern');
  expect(await run.until('result')).toMatchObject({ isError: true, content, facts: { code: _meta['souk/code'] } });
});
