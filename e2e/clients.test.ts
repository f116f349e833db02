import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ScriptedBrowser } from '../apps/broker/src/testing/people/scripted-browser.ts';
import { getServer } from '../packages/contract/src/catalogue/catalogue-search.ts';
import { getCapabilities } from '../packages/contract/src/catalogue/catalogue.ts';
import { addFromRegistry } from './clients/add-mcp.ts';
import { everyAnswer, listLink } from './clients/list-link.ts';
import { connectMcpRemote, openHome } from './clients/mcp-remote.ts';
import { toolClients } from './clients/tool-clients.ts';
import { administratorCalls, newPerson } from './journeys/administrator-calls.ts';
import { connectBySignIn, type SignedIn } from './oauth-client.ts';
import { runToEnd, startProduct, type Product } from './product.ts';
import { untilAllConnected } from './until-all-connected.ts';

let product: Product;
let link: string;
let token: string;

beforeAll(async () => {
  product = await startProduct();
  link = `${product.publicUrl}/mcp`;
  await untilAllConnected(product.publicUrl);
  const created = await runToEnd(
    ['apps/broker/src/operator/souk.ts', 'token', 'create', '--email', 'zoe@souk.test', '--name', 'inspector'],
    { DATA_DIR: product.dataDir },
  );
  token = created.stdout.trim();
});
afterAll(async () => {
  await product?.kill('SIGTERM');
  await rm(product.dataDir, { recursive: true, force: true });
});

test('[CFG-1] [CFG-17] the start prints the address, the link and how to sign in', () => {
  expect(product.output()).toContain(product.publicUrl);
  expect(product.output()).toContain(link);
  // one line of JSON, since no terminal reads it
  expect(product.output()).toContain('"signIn":"with the stand-in for Google');
  expect(product.output()).toContain('admin@souk.test');
});

test('[CFG-23] [CFG-24] token create prints only a token, and creates the user while the stand-in is active', () => {
  expect(token).toMatch(/^souk_pat_[A-Za-z0-9_-]{43}$/);
});

describe.each(['modern', 'legacy'] as const)('the official SDK v2 (%s)', (era) => {
  let signedIn: SignedIn;
  let setting: Awaited<ReturnType<typeof runToEnd>>;
  beforeAll(async () => {
    const email = `${era}@souk.test`;
    signedIn = await connectBySignIn(link, email, era);
    const credits = ['credits', 'set', '--email', email, '--credits', '20'];
    setting = await runToEnd(['apps/broker/src/operator/souk.ts', ...credits], { DATA_DIR: product.dataDir });
  });
  afterAll(() => signedIn?.client.close());

  test('signs in with only the link: discovery, registration, consent, token', () => {
    expect(signedIn.clientId).toMatch(/^client_/);
  });

  test('gets credits by command, for tools that cost credits', () => {
    expect(setting.output.trim()).toBe(`${era}@souk.test has 20 credits (+20)`);
  });

  test('lists the tools of every free service, and of no other', async () => {
    const { tools } = await signedIn.client.listTools();
    const [own, meta] = [true, false].map((ofService) =>
      tools.map(({ name }) => name).filter((name) => name.includes('__') === ofService),
    );
    const services = new Set(own?.map((name) => name.split('__')[0]));
    expect(services).toEqual(new Set(['calendar', 'everything', 'files', 'memory', 'notes', 'travel']));
    expect(meta).toEqual(['find_tools', 'call_read_only_tool', 'call_tool', 'list_my_servers', 'my_balance']);
  });

  test('calls tools of stdio, HTTP and WebSocket services', async () => {
    const { client } = signedIn;
    const echo = await client.callTool({ name: 'everything__echo', arguments: { message: 'over stdio' } });
    expect(JSON.stringify(echo.content)).toContain('over stdio');
    const distance = await client.callTool({ name: 'travel__distance', arguments: { from: 'LHR', to: 'JFK' } });
    expect(JSON.stringify(distance.structuredContent)).toMatch(/55[2-5]\d/);
    const event = await client.callTool({
      name: 'calendar__create_event',
      arguments: { title: 'Over WebSocket', start: '2026-12-01T09:00:00Z', end: '2026-12-01T10:00:00Z' },
    });
    expect(event.isError).toBeFalsy();
  });

  test('receives the progress of a long call over stdio and HTTP', async () => {
    const { client } = signedIn;
    const calls = [
      { name: 'everything__trigger-long-running-operation', arguments: { duration: 1, steps: 4 } },
      { name: 'travel__plan_round_trip', arguments: { airports: ['LHR', 'JFK', 'NRT', 'SYD', 'GRU'] } },
    ];
    for (const call of calls) {
      const heard: number[] = [];
      const result = await client.callTool(call, { onprogress: ({ progress }) => heard.push(progress) });
      expect(result.isError, JSON.stringify(result.content)).toBeFalsy();
      expect(heard.length, call.name).toBeGreaterThanOrEqual(3);
      expect(heard).toEqual([...heard].sort((a, b) => a - b));
    }
  });

  test('cancels a long call immediately', async () => {
    const abort = new AbortController();
    let heard = 0;
    const call = signedIn.client.callTool(
      { name: 'travel__plan_round_trip', arguments: { airports: ['LHR', 'JFK', 'NRT', 'SYD', 'GRU'] } },
      {
        signal: abort.signal,
        onprogress: () => {
          heard += 1;
          abort.abort();
        },
      },
    );
    await expect(call).rejects.toThrow(/abort/i);
    expect(heard, 'of the five steps, which take a second each').toBe(1);
  });

  test('gets a text that says that notes needs an upstream account', async () => {
    const result = await signedIn.client.callTool({ name: 'notes__list_tags', arguments: {} });
    expect(result).toMatchObject({ isError: true, _meta: { 'souk/code': 'sign_in_required' } });
  });
});

describe.each(toolClients)('%s, with a personal token', (program, connect) => {
  test.each([
    ['/mcp', 'travel__find_airports'],
    ['/s/travel/mcp', 'find_airports'],
  ])(`${program === 'SDK 1.x' ? '[TOK-5] ' : ''}lists and calls through %s`, async (path, tool) => {
    const client = await connect({ link: `${product.publicUrl}${path}`, token });
    try {
      expect(await client.list()).toContain(tool);
      expect(await client.call(tool, { query: 'Heathrow' })).toContain('LHR');
    } finally {
      await client.close();
    }
  });
});

test('mcp-remote signs in with only the link, lists and calls, and needs no second sign-in', async () => {
  const home = await openHome();
  let signIns = 0;
  let failure: unknown;
  const signIn = async (address: string) => {
    signIns += 1;
    const callback = await new ScriptedBrowser(product.publicUrl).signIn(address, { email: 'remote@souk.test' });
    await (await fetch(callback)).text();
  };
  const onAddress = (address: string) => void signIn(address).catch((error: unknown) => (failure = error));

  const client = await connectMcpRemote(link, { home: home.path, onAddress });
  expect(failure).toBeUndefined();
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain('travel__find_airports');
  const result = await client.callTool({ name: 'travel__find_airports', arguments: { query: 'Heathrow' } });
  expect(JSON.stringify(result.content)).toContain('LHR');
  await client.close();

  const again = await connectMcpRemote(link, { home: home.path, onAddress });
  expect((await again.listTools()).tools.length).toBe(tools.length);
  expect(signIns).toBe(1);
  await again.close();
  await home.remove();
});

test('a client whose registry is this shop finds a service there, and installs a link that works', async () => {
  const [installed, ...others] = await addFromRegistry(`${product.publicUrl}/v0.1/servers`, 'notes');
  expect(others).toEqual([]);
  expect(installed).toEqual({ type: 'http', url: `${product.publicUrl}/s/notes/mcp` });
  const { client } = await connectBySignIn(installed?.url ?? '', 'registry@souk.test', 'modern');
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('create_note');
  await client.close();
});

test('the page of a service counts and names what its link lists, and what the link of all services lists', async () => {
  const email = 'compares@souk.test';
  const id = await newPerson(product.publicUrl, email);
  const administrator = await administratorCalls(product.publicUrl);
  await administrator.addUserSubscription({ params: { id }, body: { type: 'subscription', mcpId: 'enterprise' } });
  const create = ['token', 'create', '--email', email, '--name', 'compares'];
  const created = await runToEnd(['apps/broker/src/operator/souk.ts', ...create], { DATA_DIR: product.dataDir });
  const own = created.stdout.trim();
  const read = async (path: string): Promise<unknown> => (await fetch(`${product.publicUrl}${path}`)).json();
  const all = await listLink(link, own, everyAnswer);
  const { servers } = getCapabilities.answer.parse(await read('/mcp/capabilities'));
  expect(servers).toHaveLength(9);
  for (const { serverId } of servers) {
    const page = getServer.answer.parse(await read(`/api/catalogue/servers/${serverId}`));
    const { capabilities, askingTools = 0 } = page.server;
    const named = (type: string) => page.capabilities.filter((item) => item.type === type);
    const everywhere = (items: readonly { exposedName?: string | undefined }[]) =>
      items.map((item) => item.exposedName);
    const tools = named('tool');
    const path = `${product.publicUrl}/s/${serverId}/mcp`;
    const whole = await listLink(path, own, everyAnswer);
    expect(whole, serverId).toEqual({
      tools: tools.map(({ name }) => name),
      prompts: named('prompt').map(({ name }) => name),
      resources: named('resource').map(({ uri }) => uri),
      templates: page.resourceTemplates.map(({ uri }) => uri),
    });
    expect(capabilities, serverId).toEqual({
      tools: whole.tools.length,
      prompts: whole.prompts.length,
      resources: whole.resources.length,
    });
    // a client that cannot answer questions lists the tools that ask none
    const { tools: unasked } = await listLink(path, own);
    expect(unasked, serverId).toEqual(tools.filter(({ asks }) => asks === undefined).map(({ name }) => name));
    expect(capabilities.tools - unasked.length, serverId).toBe(askingTools);
    expect(all.tools, serverId).toEqual(expect.arrayContaining(everywhere(tools)));
    expect(all.prompts, serverId).toEqual(expect.arrayContaining(everywhere(named('prompt'))));
    expect(all.resources, serverId).toEqual(expect.arrayContaining(everywhere(named('resource'))));
    expect(all.templates, serverId).toEqual(expect.arrayContaining(everywhere(page.resourceTemplates)));
  }
  const helpers = all.tools.filter((name) => !name.includes('__')).length;
  expect(all.tools).toHaveLength(helpers + servers.reduce((sum, { capabilities }) => sum + capabilities.tools, 0));
});
