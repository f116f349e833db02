import { Client, StreamableHTTPClientTransport, type ClientCapabilities } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CreateMessageRequestSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { testConnection } from '@souk/contract/diagnostics.ts';
import { getGatewayPreferences } from '@souk/contract/gateway.ts';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';

/** The bundled Everything server, which lists tools that ask questions only to clients that can answer. */
const asking = {
  form: 'everything__trigger-elicitation-request',
  url: 'everything__trigger-url-elicitation',
  sampling: 'everything__trigger-sampling-request',
  roots: 'everything__get-roots-list',
};
let app: TestApp;
let token: string;
const open: { close(): Promise<void> }[] = [];

beforeAll(async () => {
  const bundled = join(import.meta.dirname, '../../../../../../catalogue/deployed/everything.json');
  app = await startTestApp();
  await deployManifest(app, JSON.parse(await readFile(bundled, 'utf8')));
  ({ token } = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' }));
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((client) => client.close()));
});
afterAll(() => app?.stop());

const both: ClientCapabilities = { elicitation: { form: {} }, sampling: {} };
const form = { action: 'accept' as const, content: { name: 'Ann Example' } };
const message = { role: 'assistant' as const, content: { type: 'text' as const, text: 'a rhyme' }, model: 'small' };
const target = () => new URL(`${app.publicUrl}/mcp`);
const sent = () => ({ requestInit: { headers: { authorization: `Bearer ${token}` } } });

async function connectV2(mode: 'legacy' | { pin: '2026-07-28' }, capabilities = both) {
  const client = new Client({ name: 'test', version: '1' }, { capabilities, versionNegotiation: { mode } });
  if (capabilities.elicitation) client.setRequestHandler('elicitation/create', async () => form);
  if (capabilities.sampling) client.setRequestHandler('sampling/createMessage', async () => message);
  await client.connect(new StreamableHTTPClientTransport(target(), sent()));
  open.push(client);
  return {
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: (name: string, given: Record<string, unknown> = {}) => client.callTool({ name, arguments: given }),
  };
}

async function connectV1() {
  const client = new ClientV1({ name: 'test', version: '1' }, { capabilities: { elicitation: {}, sampling: {} } });
  client.setRequestHandler(ElicitRequestSchema, async () => form);
  client.setRequestHandler(CreateMessageRequestSchema, async () => message);
  // SDK 1.x declares optional members without `undefined`, which exactOptionalPropertyTypes takes literally.
  await client.connect(new TransportV1(target(), sent()) as Parameters<ClientV1['connect']>[0]);
  open.push(client);
  return {
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: (name: string, given: Record<string, unknown> = {}) => client.callTool({ name, arguments: given }),
  };
}

const modern = { pin: '2026-07-28' } as const;
const textOf = (result: object) => JSON.stringify('content' in result && result.content);

describe.each([
  ['SDK v1', connectV1],
  ['SDK v2, legacy', () => connectV2('legacy')],
  ['SDK v2, modern', () => connectV2(modern)],
])('a client that can fill in forms and query its model (%s)', (_name, connect) => {
  test('gets the tools that ask for these, and no other tools that ask questions', async () => {
    const names = await (await connect()).names();
    expect(names).toEqual(expect.arrayContaining(['everything__echo', asking.form, asking.sampling]));
    expect(names).not.toContain(asking.url);
    expect(names).not.toContain(asking.roots);
  });

  test('is asked by form, and its answer is in the result', async () => {
    const answer = textOf(await (await connect()).call(asking.form));
    expect(answer).toContain('Name: Ann Example');
  });

  test("is asked to query its model, and the model's reply is in the result", async () => {
    const client = await connect();
    expect(textOf(await client.call(asking.sampling, { prompt: 'rhyme', maxTokens: 20 }))).toContain('a rhyme');
    const found = textOf(await client.call('find_tools', { query: 'trigger sampling request' }));
    expect(found).toContain(asking.sampling);
  });
});

describe.each([
  ['legacy', 'legacy'],
  ['modern', modern],
] as const)('a client that cannot answer questions (%s)', (_era, mode) => {
  test('gets no tools that ask, finds none, and is told what it lacks when it calls one', async () => {
    const client = await connectV2(mode, {});
    const names = await client.names();
    expect(names).toContain('everything__echo');
    for (const name of Object.values(asking)) expect(names).not.toContain(name);
    const found = textOf(await client.call('find_tools', { query: 'trigger sampling elicitation request' }));
    expect(found).not.toContain(asking.form);
    expect(found).not.toContain(asking.sampling);
    expect(await client.call(asking.form)).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('needs a client that can ask you something (elicitation)') }],
      _meta: { 'souk/code': 'client_cannot' },
    });
  });

  test('gets the other tools whose questions it can answer', async () => {
    const names = await (await connectV2(mode, { elicitation: { form: {} } })).names();
    expect(names).toContain(asking.form);
    expect(names).not.toContain(asking.sampling);
  });
});

test('none of them is under review, also after a rediscovery', async () => {
  const state = () => app.catalogue.snapshot().byId.get('everything');
  const first = state();
  expect(first?.tools.map(({ exposedName }) => exposedName)).toEqual(expect.arrayContaining(Object.values(asking)));
  await waitUntil('it to be queried', () => app.upstreams.watch.refresh(['everything'], true).length > 0);
  await app.upstreams.watch.asked('everything');
  expect(state()?.discoveredAtMs).toBeGreaterThan(first?.discoveredAtMs ?? Infinity);
  expect(state()?.toolsUnderReview).toEqual([]);
  expect(state()?.tools.map(({ name }) => name)).toEqual(first?.tools.map(({ name }) => name));
});

test('the dashboard, the self-test and list_my_servers count the tools as clients list them, and the dashboard counts tools that ask separately', async () => {
  const { accessToken } = await new ScriptedBrowser(app.publicUrl).signInWeb({ email: 'ann@souk.test' });
  const headers = { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' };
  const read = async (path: string, body?: object) =>
    (
      await fetch(app.publicUrl + path, { headers, ...(body && { method: 'POST', body: JSON.stringify(body) }) })
    ).json();
  const { id } = z.object({ id: z.string() }).parse(await read('/v2/user/profile'));
  const counts = getGatewayPreferences.answer.parse(await read(`/api/users/${id}/gateway-preferences`));
  const { visibleTools, helperTools, askingTools } = counts;
  const listed = async (capabilities: object) => (await (await connectV2('legacy', capabilities)).names()).length;
  expect(visibleTools + helperTools).toBe(await listed({}));
  expect(askingTools).toBe(Object.keys(asking).length);
  const all = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };
  expect(visibleTools + helperTools + askingTools).toBe(await listed(all));
  for (const [capabilities, tools] of [[{}, visibleTools] as const, [all, visibleTools + askingTools] as const]) {
    const { structuredContent } = await (await connectV2('legacy', capabilities)).call('list_my_servers');
    expect(structuredContent).toMatchObject({ servers: [{ id: 'everything', tools }] });
  }

  const { checks } = testConnection.answer.parse(await read(`/api/users/${id}/connections/self-test`, {}));
  const told = checks.filter(({ id: check }) => ['legacy-session', 'modern-requests'].includes(check));
  const count = `sees ${visibleTools + helperTools} tools on the link of all services, helper tools included.`;
  expect(told.map(({ detail }) => detail)).toEqual([expect.stringContaining(count), expect.stringContaining(count)]);
});
