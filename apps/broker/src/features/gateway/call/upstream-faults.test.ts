import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { startFaultServer, type Fault, type FaultServer } from '#testing/servers/fault-server.ts';
import { freePort } from '#testing/network/free-port.ts';
import { limitElapsed, limitMemory } from '#testing/figures/limits.ts';
import { connectModern, connectV1, type TestClient } from '#testing/people/mcp-clients.ts';
import { startHttpFixture, type HttpFixture } from '#testing/servers/mcp-fixture.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { usageRows } from '#testing/figures/usage-rows.ts';
import { waitUntil } from '#testing/wait-until.ts';

let app: TestApp;
let faults: FaultServer;
let healthy: HttpFixture;
let client: TestClient;
let token: string;
let tool: string;
let folder: string;
/** Time at which the broker's clock is stopped while it is set. */
let stoppedAtMs: number | undefined;

beforeAll(async () => {
  [faults, healthy] = await Promise.all([startFaultServer(), startHttpFixture('both')]);
  const deadAddress = `127.0.0.1:${await freePort()}`;
  const root = join(import.meta.dirname, '../../../../../..');
  const program = join(root, 'apps/broker/src/testing/servers/fault-stdio.ts');
  folder = await mkdtemp(join(tmpdir(), 'souk-faults-'));
  const stdioAllowlist = join(folder, 'allowlist.json');
  const programs = ['exit-on-call', 'flood'].map((fault) => [
    fault,
    { argv: ['{node}', program, fault], reads: [root] },
  ]);
  await writeFile(stdioAllowlist, JSON.stringify(Object.fromEntries(programs)));
  app = await startTestApp({
    allowAddresses: [faults.address, healthy.address, deadAddress],
    paths: { stdioAllowlist },
    env: withoutHealthChecks,
    clock: { now: () => stoppedAtMs ?? Date.now() },
  });
  ({ token } = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' }));
  const at = (url: string, callMs = 300_000) => ({
    connection: { type: 'http', url },
    deadlines: { connectMs: 30_000, callMs },
  });
  for (const fault of [
    'hang',
    'html',
    'garbage',
    'huge-json',
    'huge-event',
    'reset',
    'unauthorized',
    'endless-stream',
    'limited',
    'limited-date',
    'limited-silent',
  ] as const) {
    const callMs = fault === 'hang' || fault === 'endless-stream' ? 700 : undefined;
    await deployManifest(app, { id: fault, slug: fault.slice(0, 12), ...at(faults.url(fault as Fault), callMs) });
  }
  for (const id of ['exit-on-call', 'flood']) {
    const connection = { type: 'stdio', command: id };
    // a busy machine takes long to start a program
    await deployManifest(app, { id, slug: id.replaceAll('-', ''), connection, deadlines: { connectMs: 30_000 } });
  }
  await deployManifest(app, { id: 'healthy', ...at(healthy.url) });
  await deployManifest(app, { id: 'stuck', ...at(faults.url('hang')) });
  await deployManifest(app, { id: 'dead', ...at(`http://${deadAddress}/mcp`) }, 'disconnected');
  await deployManifest(
    app,
    { id: 'mute', ...at(faults.url('hang', 'always')), deadlines: { connectMs: 500 } },
    'error',
  );
  await deployManifest(app, { id: 'crowded', ...at(faults.url('many-tools')) }, 'error');
  // the catalogue of the dead server from when it was last connected
  await app.catalogue.storeDiscovery('dead', {
    era: 'legacy',
    instructions: undefined,
    tools: [{ name: 'echo', inputSchema: { type: 'object' } }],
    prompts: [],
    resources: [],
    templates: [],
  });
  client = await connectModern(`${app.publicUrl}/mcp`, token);
  const { tools } = await client.listTools();
  tool = tools.find(({ name }) => name.startsWith('hang__'))?.name.slice('hang__'.length) ?? 'no tool';
});
afterEach(() => {
  stoppedAtMs = undefined;
});
afterAll(async () => {
  await client?.close();
  await app?.stop();
  await Promise.all([faults?.close(), healthy?.close(), rm(folder, { recursive: true, force: true })]);
});

async function callFaulty(server: string): Promise<{ code: unknown; text: string }> {
  const result = await client.callTool({ name: `${server}__${server === 'dead' ? 'echo' : tool}`, arguments: {} });
  expect(result.isError).toBe(true);
  const meta: Record<string, unknown> = { ...(result._meta as object) };
  return { code: meta['souk/code'], text: JSON.stringify(result.content) };
}

test.each([
  ['15', 'refuses the connection', 'dead', 'upstream_unavailable', 1000],
  ['15', 'resets the connection', 'reset', 'upstream_unavailable', 1000],
  ['16', 'hangs', 'hang', 'timeout', 8000],
  ['17', 'answers HTML', 'html', 'bad_upstream', 8000],
  ['17', 'does not answer with JSON', 'garbage', 'bad_upstream', 8000],
  ['18', 'answers 700 MiB of JSON', 'huge-json', 'result_too_large', 8000],
  ['18', 'sends an event of 700 MiB', 'huge-event', 'result_too_large', 8000],
] as const)(
  'security row %s: a call to an upstream that %s returns a result with isError',
  async (_row, _what, server, code, withinMs) => {
    const call = async () => {
      // each round calls the server itself, and not an open circuit
      app.upstreams.pool.retryNow(server);
      const result = await callFaulty(server);
      expect(result.code).toBe(code);
      expect(result.text).toContain('Nothing was charged');
    };
    await limitMemory(128, () => limitElapsed(withinMs, call));
    const ofServer = (await usageRows(app)).filter(({ serverId }) => serverId === server);
    expect(ofServer.at(-1)).toMatchObject({
      outcome: 'failed',
      reason: code,
      credits: 0,
    });
  },
);

test.each([
  ['limited', '7 seconds', 7],
  ['limited-date', '3600 seconds', 3600],
  ['limited-silent', 'a moment', undefined],
])('a server that temporarily takes no more requests is busy, and not down: %s', async (server, words, seconds) => {
  const slug = server.slice(0, 12).replace(/-$/, '');
  // more often than a server may fail before its circuit opens
  for (let count = 0; count < 8; count++) {
    const result = await client.callTool({ name: `${slug}__${tool}`, arguments: {} });
    expect(result.content).toEqual([
      { type: 'text', text: `${server} is busy with other calls. Try again in ${words}. Nothing was charged.` },
    ]);
    const { 'souk/code': code, 'souk/retryAfterSeconds': retryAfter } = Object(result._meta);
    expect([code, retryAfter]).toEqual(['busy', seconds]);
  }
  expect(app.catalogue.snapshot().byId.get(server)).toMatchObject({ status: 'connected', statusDetail: undefined });
});

test.each([
  ['22', 'exits during a call', 'exitoncall', 'upstream_unavailable'],
  ['23', 'floods without a newline', 'flood', 'result_too_large'],
] as const)(
  'security row %s: a call to a program that %s returns a result with isError',
  async (_row, _what, slug, code) => {
    const result = await client.callTool({ name: `${slug}__echo`, arguments: { text: 'x' } });
    expect([result.isError, Object(result._meta)['souk/code'], result.content]).toEqual([
      true,
      code,
      expect.anything(),
    ]);
    expect((await client.callTool({ name: 'healthy__echo', arguments: { text: 'well' } })).isError).toBeFalsy();
  },
);

test('each call to a program that keeps crashing says what to do', async () => {
  const crash = async () => {
    const { content, _meta: meta } = await client.callTool({ name: 'exitoncall__echo', arguments: { text: 'x' } });
    expect(meta).toMatchObject({ 'souk/code': 'upstream_unavailable' });
    return { text: JSON.stringify(content), meta };
  };
  stoppedAtMs = Date.now();
  // reset the crashes that earlier tests caused
  app.upstreams.pool.retryNow('exit-on-call');
  for (let time = 1; time <= 2; time++) {
    expect((await crash()).text).toContain('exit-on-call ended the connection before it had answered');
  }
  const restarting = await crash();
  expect(restarting.text).toMatch(/is starting again. Nothing was charged. Try again in 5 seconds\./);
  expect(restarting.meta).toMatchObject({ 'souk/retryAfterSeconds': 5 });
  stoppedAtMs += 5_000;
  expect((await crash()).text).toContain('ended the connection');
  const stopped = await crash();
  expect(stopped.text).toContain('crashed three times within a minute and stays stopped until');
  expect(stopped.text).not.toContain('Try again in');
});

test('a call to an upstream that asks for a sign-in missing from its manifest says what its administrator has to do', async () => {
  const { code, text } = await callFaulty('unauthorized');
  expect(code).toBe('sign_in_required');
  expect(text).toContain('Its administrator has to add \\"auth\\" to the manifest');
  // no user has an account there to sign in with
  expect(text).not.toContain('/connect/');
  expect(text).not.toContain('your unauthorized account');
});

test('a call whose stream never ends fails at the deadline', async () => {
  expect(['timeout', 'result_too_large']).toContain((await callFaulty('endless-stre')).code);
});

test('security row 31b: a server with 513 tools keeps its last catalogue and gets the status error', () => {
  const server = app.catalogue.snapshot().byId.get('crowded');
  expect(server).toMatchObject({ status: 'error', statusDetail: 'The server has more than 512 tools', tools: [] });
});

test('lists answer immediately while one server is dead, one hangs and others misbehave', async () => {
  const asked = faults.requests.length;
  const hangUp = new AbortController();
  const stuck = client.callTool({ name: `stuck__${tool}`, arguments: {} }, { signal: hangUp.signal });
  onTestFinished(async () => {
    hangUp.abort();
    await stuck.catch(() => undefined);
  });
  await waitUntil('the server that hangs has the call', () => faults.requests.length > asked);
  for (const url of ['/mcp/capabilities', '/mcp/tools', '/mcp/health']) {
    const read = async () => expect((await fetch(`${app.publicUrl}${url}`)).status).toBe(200);
    await limitElapsed(300, read, { what: url });
  }
  let names: string[] = [];
  const list = async () => void (names = (await client.listTools()).tools.map(({ name }) => name));
  await limitElapsed(300, list, { what: 'tools/list' });
  expect(names).toEqual(expect.arrayContaining(['dead__echo', 'healthy__echo']));
  const legacy = await connectV1(`${app.publicUrl}/mcp`, token);
  expect((await legacy.listTools()).tools).toHaveLength(names.length);
  await legacy.close();
  const result = await client.callTool({ name: 'healthy__echo', arguments: { text: 'well' } });
  expect(JSON.stringify(result.content)).toContain('well');
});
