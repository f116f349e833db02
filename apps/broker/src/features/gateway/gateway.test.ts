import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { connectLegacy, connectModern, connectV1 } from '#testing/people/mcp-clients.ts';
import { startHttpFixture, type HttpFixture } from '#testing/servers/mcp-fixture.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { usageRows } from '#testing/figures/usage-rows.ts';
import { waitUntil } from '#testing/wait-until.ts';

let app: TestApp;
let fixture: HttpFixture;
let legacyFixture: HttpFixture;
let token: string;

beforeAll(async () => {
  [fixture, legacyFixture] = await Promise.all([startHttpFixture('both'), startHttpFixture('legacy')]);
  app = await startTestApp({ allowAddresses: [fixture.address, legacyFixture.address], env: withoutHealthChecks });
  ({ token } = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' }));
  const http = (url: string) => ({ type: 'http', url });
  await deployManifest(app, { id: 'new', connection: http(fixture.url) });
  await deployManifest(app, { id: 'old', connection: http(legacyFixture.url) });
  await deployManifest(app, { id: 'paid', connection: http(fixture.url), billing: { tier: 'T2' } });
});
afterAll(async () => {
  await app?.stop();
  await Promise.all([fixture?.close(), legacyFixture?.close()]);
});

test('clients are notified of changed lists, and not of a rediscovery without changes', async () => {
  const client = await connectLegacy(`${app.publicUrl}/mcp`, token);
  const notices: string[] = [];
  client.onNotice((method) => void notices.push(method));
  const offering = (tools: readonly Record<string, unknown>[]) => ({
    era: 'modern' as const,
    instructions: undefined,
    tools,
    prompts: [],
    resources: [],
    templates: [],
  });
  const tool = { name: 'one', inputSchema: { type: 'object' } };
  await deployManifest(app, { id: 'quiet', connection: { type: 'http', url: fixture.url } });
  await waitUntil('the deployment to be announced', () => notices.length > 0);
  const server = () => app.catalogue.snapshot().byId.get('quiet');
  const asIs = offering((server()?.tools ?? []).map(({ definition }) => definition));
  await app.catalogue.storeDiscovery('quiet', asIs);
  notices.length = 0;
  for (let time = 0; time < 20; time++) await app.catalogue.storeDiscovery('quiet', asIs);
  await app.catalogue.storeDiscovery('quiet', offering([tool]));
  await waitUntil('the change to be announced', () => notices.includes('notifications/tools/list_changed'));
  // the change, and what was still on its way from the deployment
  const told = notices.filter((method) => method === 'notifications/tools/list_changed').length;
  expect(told).toBeGreaterThanOrEqual(1);
  expect(told).toBeLessThan(5);
  await client.close();
});

const mcp = () => `${app.publicUrl}/mcp`;

describe.each([
  ['SDK v2, modern', connectModern],
  ['SDK v2, legacy', connectLegacy],
  ['SDK 1.x', connectV1],
] as const)('a client (%s)', (_name, connect) => {
  test('[GEN-36] [GEN-38] [TOK-5] lists and calls the tools of every free server, under their names on /mcp', async () => {
    const client = await connect(mcp(), token);
    const { tools } = await client.listTools();
    const names = tools.map((tool) => tool.name);
    expect(names).toContain('new__echo');
    expect(names).toContain('old__echo');
    expect(names.filter((name) => name.startsWith('paid__'))).toEqual([]);
    for (const prefix of ['new', 'old']) {
      const result = await client.callTool({ name: `${prefix}__echo`, arguments: { text: `hi ${prefix}` } });
      expect(JSON.stringify(result.content)).toContain(`hi ${prefix}`);
      expect(JSON.stringify(result)).not.toContain('io.modelcontextprotocol/serverInfo":{"name":"fixture');
    }
    await client.close();
  });

  test('[GEN-37] [GEN-38] reaches only one server under its own names on /s/{serverId}/mcp', async () => {
    const client = await connect(`${app.publicUrl}/s/old/mcp`, token);
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name)).toContain('echo');
    expect(tools.every((tool) => !tool.name.includes('__'))).toBe(true);
    const result = await client.callTool({ name: 'echo', arguments: { text: 'alone' } });
    expect(JSON.stringify(result.content)).toContain('alone');
    await expect(client.callTool({ name: 'new__echo', arguments: {} })).rejects.toThrow(/Unknown tool/);
    await client.close();
  });

  test('gets progress while a call runs, from upstreams of both eras', async () => {
    const client = await connect(mcp(), token);
    for (const prefix of ['new', 'old']) {
      const seen: number[] = [];
      await client.callTool(
        { name: `${prefix}__slow`, arguments: { steps: 3, everyMs: 20 } },
        { onprogress: ({ progress }) => seen.push(progress) },
      );
      expect(seen.length).toBeGreaterThanOrEqual(2);
    }
    await client.close();
  });

  test('cancels a call, and the upstream is notified', async () => {
    const client = await connect(mcp(), token);
    for (const [prefix, upstream] of [
      ['new', fixture],
      ['old', legacyFixture],
    ] as const) {
      const before = upstream.seen.cancelled.length;
      const abort = new AbortController();
      const started = upstream.seen.requests.length;
      const call = client.callTool({ name: `${prefix}__hang`, arguments: {} }, { signal: abort.signal });
      const settled = call.then(
        () => 'answered',
        () => 'refused',
      );
      await waitUntil('the call to arrive', () => upstream.seen.requests.length > started);
      abort.abort();
      expect(await settled).toBe('refused');
      await waitUntil('the upstream to be notified', () => upstream.seen.cancelled.length > before);
    }
    await client.close();
  });

  test('gets prompts, resources and completions', async () => {
    const client = await connect(mcp(), token);
    const prompts = (await client.listPrompts()).prompts.map((prompt) => prompt.name);
    expect(prompts).toEqual(expect.arrayContaining(['new__hello', 'old__hello']));
    const prompt = await client.getPrompt({ name: 'old__hello' });
    expect(JSON.stringify(prompt.messages)).toContain('prompt hello');
    const { resources } = await client.listResources();
    expect(resources.length).toBeGreaterThan(0);
    // both fixtures have the same addresses: the second server's carry its name
    expect(new Set(resources.map((resource) => resource.uri)).size).toBe(resources.length);
    for (const { uri } of resources) {
      const { contents } = await client.readResource({ uri });
      expect(contents[0]?.uri).toBe(uri);
    }
    await client.close();
  });
});

test('every call leaves a usage row that says how it ended and that nothing was charged', async () => {
  const email = 'bob@souk.test';
  const client = await connectModern(mcp(), (await app.identity.createPersonalToken({ email, name: 'test' })).token);
  const { rows: users } = await app.db.query<{ id: string }>('select id from users where email = $1', [email]);
  const usage = async () => usageRows(app, users[0]?.id);
  await client.callTool({ name: 'new__echo', arguments: { text: 'hi' } });
  await client.callTool({ name: 'new__refuse', arguments: {} }).catch(() => undefined);
  const abort = new AbortController();
  const arrived = fixture.seen.requests.length;
  const hanging = client.callTool({ name: 'new__hang', arguments: {} }, { signal: abort.signal }).catch(() => 'ended');
  await waitUntil('the call to arrive', () => fixture.seen.requests.length > arrived);
  abort.abort();
  expect(await hanging).toBe('ended');
  await waitUntil('the canceled call to be written', async () => (await usage()).length === 3);
  expect(await usage()).toMatchObject([
    { name: 'echo', outcome: 'ok', reason: null, serverId: 'new', credits: 0 },
    { name: 'refuse', outcome: 'error', reason: 'protocol_error', serverId: 'new', credits: 0 },
    { name: 'hang', outcome: 'cancelled', reason: 'cancelled', serverId: 'new', credits: 0 },
  ]);
  await client.close();
});

test('a changed tool list reaches a legacy client as a notice', async () => {
  const client = await connectV1(mcp(), token);
  const heard = new Promise<void>((resolve) => {
    client.onNotice((method) => {
      if (method === 'notifications/tools/list_changed') resolve();
    });
  });
  await deployManifest(app, { id: 'later', connection: { type: 'http', url: fixture.url } });
  await heard;
  expect((await client.listTools()).tools.map((tool) => tool.name)).toContain('later__echo');
  await client.close();
});

test('a server gets no more concurrent calls than its manifest allows: the client of the next one is told that it is busy', async () => {
  await deployManifest(app, { id: 'narrow', connection: { type: 'http', url: fixture.url }, maxInFlight: 1 });
  const client = await connectModern(mcp(), token);
  const abort = new AbortController();
  const arrived = fixture.seen.requests.length;
  const first = client.callTool({ name: 'narrow__hang', arguments: {} }, { signal: abort.signal }).catch(() => 'ended');
  await waitUntil('the first call to arrive', () => fixture.seen.requests.length > arrived);
  const second = await client.callTool({ name: 'narrow__echo', arguments: {} });
  expect(second).toMatchObject({ isError: true, _meta: { 'souk/code': 'busy' } });
  // it blocks no other server
  expect((await client.callTool({ name: 'new__echo', arguments: {} })).isError).toBeFalsy();
  abort.abort();
  expect(await first).toBe('ended');
  await waitUntil('the slot to be free', async () => {
    const third = await client.callTool({ name: 'narrow__echo', arguments: {} });
    return third.isError !== true;
  });
  await client.close();
});

test('tools of a server that does not respond are listed as last known, and marked stale', async () => {
  await deployManifest(app, { id: 'stale', connection: { type: 'http', url: fixture.url } });
  await app.catalogue.setHealth('stale', {
    status: 'error',
    detail: 'The server does not answer in time',
    era: undefined,
  });
  const client = await connectModern(mcp(), token);
  const { tools } = await client.listTools();
  const metaOf = (name: string) => tools.find((tool) => tool.name === name)?._meta;
  expect(metaOf('stale__echo')).toMatchObject({ 'souk/stale': true });
  expect(metaOf('new__echo')).toBeUndefined();
  await client.close();
});

test('an upstream that restarted and forgot its sessions is called again unnoticed', async () => {
  const client = await connectModern(mcp(), token);
  await client.callTool({ name: 'old__echo', arguments: { text: 'before' } });
  legacyFixture.forgetSessions();
  const result = await client.callTool({ name: 'old__echo', arguments: { text: 'after' } });
  expect(JSON.stringify(result.content)).toContain('after');
  await client.close();
});
