import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { freePort } from '#testing/network/free-port.ts';
import { connectModern, postModern, postRaw } from '#testing/people/mcp-clients.ts';
import { openSession } from '#testing/people/open-session.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { connectOverheard } from '../testing/overheard-client.ts';
import { startTellingServer, type TellingServer } from '../testing/telling-server.ts';

const latest = { pin: '2026-07-28' } as const;
const callsPerMinute = 60;
let app: TestApp;
let old: TellingServer;
let modern: TellingServer;
let token: string;
let stoppedAtMs: number | undefined;

beforeAll(async () => {
  [old, modern] = await Promise.all([startTellingServer('legacy'), startTellingServer('modern')]);
  const dead = `127.0.0.1:${await freePort()}`;
  app = await startTestApp({
    allowAddresses: [old.address, modern.address, dead],
    env: { MCP_CALLS_PER_MINUTE_TOKEN: String(callsPerMinute), MCP_CALLS_PER_MINUTE_USER: '1000' },
    clock: { now: () => stoppedAtMs ?? Date.now() },
  });
  await deployManifest(app, { id: 'old', connection: { type: 'http', url: old.url } });
  await deployManifest(app, { id: 'new', connection: { type: 'http', url: modern.url } });
  // a server that was never reached: its offering is known from the stored catalogue
  await deployManifest(app, { id: 'silent', connection: { type: 'http', url: `http://${dead}/mcp` } }, 'disconnected');
  const nothing = { era: undefined, instructions: undefined, prompts: [], resources: [], templates: [] };
  await app.catalogue.storeDiscovery('silent', {
    ...nothing,
    tools: [{ name: 'one', inputSchema: { type: 'object' } }],
  });
  token = await newToken();
});
afterAll(async () => {
  await app?.stop();
  await Promise.all([old?.close(), modern?.close()]);
});

const newToken = async () => (await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' })).token;
const link = () => `${app.publicUrl}/mcp`;
const text = { text: 'ann' };

test("an old server learns the folders of a session's client, and when they change", async () => {
  const { client, stop } = await connectOverheard(link(), token, 'ann', 'legacy');
  const told = await client.callTool({ name: 'old__roots', arguments: text });
  expect(JSON.stringify(told.content)).toContain('file:///home/ann');
  await client.sendRootsListChanged();
  await waitUntil('the server to be notified', () => old.rootsChanged() > 0);
  await stop();
});

describe('an old server that asks to open a page (-32042)', () => {
  const call = { name: 'old__page', arguments: text };

  test('is forwarded unchanged to the client of a session', async () => {
    const { client, stop } = await connectOverheard(link(), token, 'ann', 'legacy', { elicitation: { url: {} } });
    await expect(client.callTool(call)).rejects.toMatchObject({
      code: -32042,
      data: { elicitations: [{ mode: 'url', url: 'https://pages.test/ann', elicitationId: 'ann' }] },
    });
    await stop();
  });

  test.each([
    ['2025-06-18', { elicitation: { form: {}, url: {} } }],
    ['2025-11-25', { elicitation: { form: {} } }],
    ['2025-11-25', {}],
  ] as const)(
    'is explained in words to the client of a session without these capabilities: %s, %j',
    async (revision, capabilities) => {
      const session = await openSession(link(), token, { revision, capabilities });
      const body = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: call });
      expect((await postRaw(link(), body, session)).body.result).toMatchObject({
        isError: true,
        content: [{ text: expect.stringContaining('Open https://pages.test/ann in your browser') }],
      });
    },
  );

  test('asks a modern client to open it, and explains it in words to one that cannot', async () => {
    const able = await connectOverheard(link(), token, 'ann', latest, { elicitation: { url: {} } });
    // the server keeps asking for the page: the client gives up after some rounds, each of which opened it
    await able.client.callTool(call).catch(() => undefined);
    expect(able.heard()).toContain('"mode":"url"');
    expect(able.heard()).toContain('https://pages.test/ann');
    await able.stop();
    const client = await connectModern(link(), token);
    const answer = await client.callTool(call);
    expect(answer.isError).toBe(true);
    expect(JSON.stringify(answer.content)).toContain('Open https://pages.test/ann in your browser');
    await client.close();
  });
});

test.each([
  ['old', 'legacy'],
  ['old', latest],
  ['new', 'legacy'],
  ['new', latest],
] as const)(
  'MCP Apps: pages and _meta of a server (%s) are forwarded both ways (client %o)',
  async (upstream, mode) => {
    const { client, stop } = await connectOverheard(`${app.publicUrl}/s/${upstream}/mcp`, token, 'ann', mode);
    const { tools } = await client.listTools();
    const ui = { resourceUri: 'ui://telling/page', visibility: ['model', 'app'] };
    expect(tools.find(({ name }) => name === 'show')?._meta).toMatchObject({ ui });
    const { contents } = await client.readResource({ uri: 'ui://telling/page' });
    expect(contents).toMatchObject([
      { uri: 'ui://telling/page', mimeType: 'text/html;profile=mcp-app', _meta: { ui: { prefersBorder: true } } },
    ]);
    const answer = await client.callTool({ name: 'show', arguments: text, _meta: { 'telling/said': 'hello' } });
    expect(answer._meta).toMatchObject({ 'telling/heard': 'hello' });
    await stop();
  },
);

test('an unlisted page is found on the shared link by the tool that names it', async () => {
  const { client, stop } = await connectOverheard(link(), token, 'ann', latest);
  expect((await client.listResources()).resources.map(({ uri }) => uri)).not.toContain('ui://telling/page');
  const { contents } = await client.readResource({ uri: 'ui://telling/page' });
  expect(contents[0]?.uri).toBe('ui://telling/page');
  await stop();
});

test.each(['legacy', latest] as const)(
  'a link announces what its servers have, and no more (client %o)',
  async (mode) => {
    const capabilitiesAt = async (path: string) => {
      const { client, stop } = await connectOverheard(`${app.publicUrl}${path}`, token, 'ann', mode);
      const capabilities = client.getServerCapabilities();
      await stop();
      return capabilities;
    };
    const listChanged = true;
    const [tools, prompts, resources] = [{ listChanged }, { listChanged }, { listChanged, subscribe: true }];
    const old = { tools, prompts, resources, logging: {} };
    expect(await capabilitiesAt('/s/old/mcp')).toEqual(old);
    expect(await capabilitiesAt('/s/new/mcp')).toEqual({ ...old, completions: {} });
    expect(await capabilitiesAt('/mcp')).toEqual({ ...old, completions: {} });
    // of a server that was never reached, only the stored lists are known
    expect(await capabilitiesAt('/s/silent/mcp')).toEqual({ tools, logging: {} });
    // requests for anything that is not announced are answered anyway
    const asked = await postModern(`${app.publicUrl}/s/silent/mcp`, token, 'prompts/list');
    expect(asked).toMatchObject({ status: 200, body: { result: { prompts: [] } } });
  },
);

test('pages of two servers with one address stay separate on the shared link, by tool', async () => {
  const { client, stop } = await connectOverheard(link(), token, 'ann', latest);
  const { tools } = await client.listTools();
  const metaOf = (name: string): Record<string, unknown> => ({ ...tools.find((tool) => tool.name === name)?._meta });
  for (const [slug, era] of [
    ['old', 'legacy'],
    ['new', 'modern'],
  ] as const) {
    const shown = metaOf(`${slug}__show`);
    expect(shown).toMatchObject({ ui: { visibility: ['model', 'app'] } });
    const painted = metaOf(`${slug}__paint`);
    expect(painted['openai/outputTemplate']).toBe(painted['ui/resourceUri']);
    const page = /"resourceUri":"([^"]+)"/.exec(JSON.stringify(shown))?.[1];
    for (const uri of [page, painted['ui/resourceUri']].map(String)) {
      // its scheme tells a client that it is a page (MCP Apps)
      expect(uri).toMatch(/^ui:/);
      expect((await client.readResource({ uri })).contents).toMatchObject([{ uri, text: `page of ${era}` }]);
    }
  }
  await stop();
});

test('a tool that runs only as a task is not listed, and a call of it is refused', async () => {
  const { client, stop } = await connectOverheard(link(), token, 'ann', 'legacy');
  expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain('old__task');
  await expect(client.callTool({ name: 'old__task', arguments: text })).rejects.toMatchObject({ code: -32601 });
  await stop();
});

test('prompts and resources count as calls, and a client that made too many learns when to retry', async () => {
  const own = await newToken();
  // the rate refills with time, and a slow machine takes much of it
  stoppedAtMs = Date.now();
  const { client, stop } = await connectOverheard(link(), own, 'ann', latest);
  for (let index = 0; index < callsPerMinute; index += 2) {
    await client.getPrompt({ name: 'old__say', arguments: text });
    await client.readResource({ uri: 'note://ann' });
  }
  const limited = { code: 'rate_limited', retryAfterSeconds: 1 };
  const refused = { code: -32603, data: limited };
  await expect(client.getPrompt({ name: 'old__say', arguments: text })).rejects.toMatchObject(refused);
  await expect(client.readResource({ uri: 'note://ann' })).rejects.toMatchObject(refused);
  const call = await client.callTool({ name: 'old__echo', arguments: text });
  expect(call).toMatchObject({ isError: true, _meta: { 'souk/code': 'rate_limited', 'souk/retryAfterSeconds': 1 } });
  expect(JSON.stringify(call.content)).toContain('Try again in 1 second.');
  await stop();
});
