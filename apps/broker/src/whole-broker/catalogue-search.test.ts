import { findServers, getCategories, getServer, suggestMatches } from '@souk/contract/catalogue/catalogue-search.ts';
import { brotliDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { z } from 'zod';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { getWithEncoding } from '#testing/people/get-with-encoding.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';

let app: TestApp;

const gratis = {
  id: 'gratis',
  name: 'Gratis',
  description: 'Free, with a rental price on it.',
  category: 'api',
  billing: { tier: 'T0', rental: { price: 100 } },
};

const nowhere = { type: 'http', url: 'http://127.0.0.1:9/mcp' };
const tool = (name: string, more: object = {}) => ({ name, inputSchema: { type: 'object' }, ...more });

/** Deploys an unreachable server, with tools that were once found there. */
async function deploy(manifest: { id: string } & Record<string, unknown>, tools: readonly object[] = []) {
  await deployManifest(app, { connection: nowhere, ...manifest }, 'error');
  if (tools.length === 0) return;
  await app.catalogue.storeDiscovery(manifest.id, {
    era: undefined,
    instructions: undefined,
    tools: tools as Record<string, unknown>[],
    prompts: [],
    resources: [],
    templates: [],
  });
}

/** Result before anything was deployed. */
let missingFromNone: unknown;

beforeAll(async () => {
  app = await startTestApp({ env: withoutHealthChecks });
  missingFromNone = await (await fetch(`${app.publicUrl}/api/catalogue/servers/travel`)).json();
  await deploy(
    {
      id: 'travel',
      name: 'Travel',
      description: 'Airports, distances and jet lag.',
      category: 'data',
      billing: { tier: 'T2', rental: { price: 900 }, toolCosts: { plan_trip: 3 } },
    },
    [tool('find_airports'), tool('plan_trip', { title: 'Plan a journey', description: 'Plans. '.repeat(60) })],
  );
  await deploy({ id: 'notes-2', name: 'Notes 2', description: 'Full-text search.', category: 'productivity' }, [
    tool('find_notes'),
  ]);
  await deploy({ id: 'notes-10', name: 'notes 10', description: 'C++ (beta), [.*] CAFÉ', category: 'productivity' });
  await deploy({
    id: 'zz-reports',
    name: 'Reports',
    description: 'What a plan includes.',
    category: 'api',
    billing: { tier: 'T1' },
  });
  await deploy(gratis);
});
afterAll(() => app?.stop());

const longText = 'a very long text '.repeat(12);
const path = '/api/catalogue/servers';
const addressOf = (query: Record<string, string>, at = path) => `${app.publicUrl}${at}?${new URLSearchParams(query)}`;

async function find(query: Record<string, string> = {}): Promise<z.output<typeof findServers.answer>> {
  const answer = await fetch(addressOf(query));
  expect(answer.status).toBe(200);
  return findServers.answer.parse(await answer.json());
}
const idsOf = ({ servers }: { servers: readonly { serverId: string }[] }) => servers.map(({ serverId }) => serverId);
const idsFor = async (query: Record<string, string>) => idsOf(await find(query));

const byName = ['gratis', 'notes-2', 'notes-10', 'zz-reports', 'travel'];

describe('searching the catalogue', () => {
  test('[MKT-16] finds servers by name, description or id, ignoring case', async () => {
    expect(await idsFor({ q: 'TRAVEL' })).toEqual(['travel']);
    expect(await idsFor({ q: 'full-TEXT' })).toEqual(['notes-2']);
    expect(await idsFor({ q: 'ZZ-rep' })).toEqual(['zz-reports']);
    expect(await idsFor({ q: ' AIRPORTS,  distances ' })).toEqual(['travel']);
    expect(await idsFor({ q: 'cafe\u0301' })).toEqual(['notes-10']);
  });

  test('finds a server by the name or title of one of its tools', async () => {
    expect(await idsFor({ q: 'find_air' })).toEqual(['travel']);
    expect(await idsFor({ q: 'find' })).toEqual(['notes-2', 'travel']);
    expect(await idsFor({ q: 'JOURNEY' })).toEqual(['travel']);
  });

  test('requires every word in some text, and takes each as plain text', async () => {
    expect(await idsFor({ q: 'airports travel' })).toEqual(['travel']);
    expect(await idsFor({ q: 'airports notes' })).toEqual([]);
    expect(await idsFor({ q: 'beta), [.*] (' })).toEqual(['notes-10']);
    expect(await idsFor({ q: '.+' })).toEqual([]);
  });

  test('[MKT-17] sorts by name: ignoring case, and 2 before 10', async () => {
    expect(await idsFor({})).toEqual(byName);
  });

  test('[MKT-22] sorts by price, by tools or by the last update, and by name for equal ones', async () => {
    expect(await idsFor({ sort: 'price' })).toEqual(['gratis', 'notes-2', 'notes-10', 'travel', 'zz-reports']);
    expect(await idsFor({ sort: 'tools' })).toEqual(['travel', 'notes-2', 'gratis', 'notes-10', 'zz-reports']);
    const times = (await find({ sort: 'updated' })).servers.map(({ lastUpdate }) => Date.parse(lastUpdate));
    expect(times).toEqual(times.toSorted((one, other) => other - one));
  });

  test("names the categories that have servers, with their number, and the first three in home's order", async () => {
    const read = async () => {
      const answer = await fetch(`${app.publicUrl}/api/catalogue/categories`);
      return getCategories.answer.parse(await answer.json()).categories;
    };
    expect(await read()).toMatchObject([
      {
        category: 'api',
        total: 2,
        servers: [{ serverId: 'gratis', displayName: 'Gratis' }, { serverId: 'zz-reports' }],
      },
      { category: 'data', total: 1, servers: [{ serverId: 'travel', status: 'connected' }] },
      { category: 'productivity', total: 2, servers: [{ serverId: 'notes-2' }, { serverId: 'notes-10' }] },
    ]);
    onTestFinished(async () => {
      for (const id of ['first', 'second', 'third']) await app.catalogue.undeploy(id, { via: 'command' });
    });
    for (const [id, featured] of [
      ['third', 3],
      ['first', 1],
      ['second', 2],
    ] as const)
      await deploy({ id, name: id, category: 'productivity', featured });
    const [, , productivity] = await read();
    expect(productivity?.total).toBe(5);
    expect(productivity && idsOf(productivity)).toEqual(['first', 'second', 'third']);
  });

  test('[MKT-18] [MKT-19] [MKT-20] [MKT-21] filters by type, tier, price and status, together', async () => {
    expect(await idsFor({ type: 'productivity' })).toEqual(['notes-2', 'notes-10']);
    expect(await idsFor({ tier: 'T0' })).toEqual(['gratis', 'notes-2', 'notes-10']);
    expect(await idsFor({ tier: 'T1' })).toEqual(['zz-reports']);
    expect(await idsFor({ price: 'free' })).toEqual(['gratis', 'notes-2', 'notes-10']);
    expect(await idsFor({ price: 'paid' })).toEqual(['zz-reports', 'travel']);
    expect(await idsFor({ status: 'connected' })).toEqual(['notes-2', 'travel']);
    expect(await idsFor({ status: 'error', type: 'api', price: 'paid', q: 'plan' })).toEqual(['zz-reports']);
  });

  test('[MKT-8] counts the matches and the deployed servers, on any page', async () => {
    const first = await find({ q: 'a', pageSize: '2' });
    expect(first).toMatchObject({ deployed: 5, pagination: { page: 1, pageSize: 2, total: 5, pages: 3 } });
    expect(idsOf(first)).toEqual(byName.slice(0, 2));
    expect(await idsFor({ pageSize: '2', page: '3' })).toEqual(byName.slice(4));
    const past = await find({ pageSize: '2', page: '9' });
    expect([idsOf(past), past.pagination.page]).toEqual([byName.slice(4), 3]);
    expect(await find({ q: 'nothing has this' })).toMatchObject({
      servers: [],
      deployed: 5,
      pagination: { page: 1, total: 0, pages: 0 },
    });
  });

  test('the response follows a change of the catalogue', async () => {
    onTestFinished(() => deploy({ ...gratis, version: '1.2.0' }));
    await app.catalogue.setHealth('gratis', { status: 'disconnected', detail: 'Asleep', era: undefined });
    expect(await idsFor({ status: 'disconnected' })).toEqual(['gratis']);
    await app.catalogue.setHealth('gratis', { status: 'error', detail: 'Ill', era: undefined });
    expect(await idsFor({ status: 'disconnected' })).toEqual([]);
    await deploy({
      id: 'gratis',
      name: 'Gratis',
      version: '1.1.0',
      description: 'Now with unicorns.',
      category: 'api',
    });
    expect(await idsFor({ q: 'unicorns' })).toEqual(['gratis']);
    expect(await idsFor({ q: 'rental' })).toEqual([]);
  });

  test.each([
    [{ q: longText }, 'query.q: must be at most 200 characters'],
    [{ type: 'wine' }, 'query.type: must be "api", "data" or "productivity"'],
    [{ tier: 'T9' }, 'query.tier: must be "T0", "T1", "T2" or "T3"'],
    [{ price: 'cheap' }, 'query.price: must be "free" or "paid"'],
    [{ status: 'asleep' }, 'query.status: must be "connected", "disconnected" or "error"'],
    [{ sort: 'colour' }, 'query.sort: must be "price", "tools", "updated", "popular" or "featured"'],
    [{ page: '0' }, 'query.page: must be at least 1'],
    [{ page: 'two' }, 'query.page: must be a number'],
    [{ page: '100001' }, 'query.page: must be at most 100000'],
    [{ pageSize: '101' }, 'query.pageSize: must be at most 100'],
  ])('%j is refused', async (query, message) => {
    const answer = await fetch(addressOf(query));
    expect([answer.status, await answer.json()]).toEqual([
      400,
      expect.objectContaining({ success: false, code: 'invalid_request', message }),
    ]);
  });
});

describe('caches', () => {
  test('revalidate each time, and get 304 without a body while nothing has changed', async () => {
    const answer = await getWithEncoding(addressOf({}), 'br');
    expect(answer.headers).toMatchObject({
      'content-encoding': 'br',
      'cache-control': 'public, no-cache',
      vary: 'authorization, accept-encoding',
      etag: expect.stringMatching(/^W\/"[\w-]{22}"$/),
    });
    expect(JSON.parse(brotliDecompressSync(answer.body).toString()).deployed).toBe(5);
    const headers = { 'if-none-match': `"other", ${answer.headers.etag}` };
    const again = await getWithEncoding(addressOf({}), 'gzip', headers);
    expect([again.status, again.body.length, again.headers.etag]).toEqual([304, 0, answer.headers.etag]);
    expect(again.headers).toMatchObject({
      'cache-control': 'public, no-cache',
      vary: 'authorization, accept-encoding',
    });
    expect((await getWithEncoding(addressOf({ q: 'travel' }), 'br', headers)).status, 'another response').toBe(200);
    onTestFinished(() => app.catalogue.setHealth('travel', { status: 'connected', detail: undefined, era: undefined }));
    await app.catalogue.setHealth('travel', { status: 'error', detail: 'Ill', era: undefined });
    expect((await getWithEncoding(addressOf({}), 'br', headers)).status, 'a change').toBe(200);
  });

  test('share nothing between users: the response to a token is private, and the same as for all', async () => {
    const { token } = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' });
    for (const at of [path, `${path}/travel`, '/api/catalogue/suggestions']) {
      const asked = await fetch(`${app.publicUrl}${at}`, { headers: { authorization: `Bearer ${token}` } });
      expect(asked.headers.get('cache-control'), at).toBe('private, no-cache');
      expect(await asked.text(), at).toBe(await (await fetch(`${app.publicUrl}${at}`)).text());
    }
  });
});

describe('one server', () => {
  test('[CAT-11] is returned with its own offering and nothing of another', async () => {
    const { server, capabilities } = getServer.answer.parse(
      await (await fetch(`${app.publicUrl}${path}/travel`)).json(),
    );
    expect(server).toMatchObject({ serverId: 'travel', billing: { tier: 'T2', rental: { price: 900 } } });
    expect(capabilities.map(({ serverId, name, creditCost }) => [serverId, name, creditCost])).toEqual([
      ['travel', 'find_airports', 0],
      ['travel', 'plan_trip', 3],
    ]);
  });

  test('[SVC-12] for an id that is not deployed the list of deployed ids is returned', async () => {
    const answer = await fetch(`${app.publicUrl}${path}/${encodeURIComponent('no/such')}`);
    expect([answer.status, await answer.json()]).toEqual([
      404,
      {
        success: false,
        code: 'server_not_found',
        message:
          "MCP server with ID 'no/such' not found. Available servers: gratis, notes-10, notes-2, zz-reports, travel",
      },
    ]);
    const long = await fetch(`${app.publicUrl}${path}/${'x'.repeat(201)}`);
    expect(long.status, 'no id is this long').toBe(414);
  });
});

test('[SVC-11] without any server the error says that the broker may not be running', () => {
  expect(missingFromNone).toEqual({
    success: false,
    code: 'server_not_found',
    message: 'No MCP services found. The MCP broker may not be running.',
  });
});

describe('suggestions', () => {
  const suggest = async (query: Record<string, string>) => {
    const answer = await fetch(addressOf(query, '/api/catalogue/suggestions'));
    expect(answer.status).toBe(200);
    return suggestMatches.answer.parse(await answer.json());
  };

  test('list names that begin with the text before those that contain it', async () => {
    expect(idsOf(await suggest({ q: 'n' }))).toEqual(['notes-2', 'notes-10', 'gratis', 'zz-reports', 'travel']);
    expect(idsOf(await suggest({ q: 'n', limit: '2' }))).toEqual(['notes-2', 'notes-10']);
    expect((await suggest({ q: 'airports' })).tools.map(({ name }) => name)).toEqual(['find_airports']);
  });

  test('name a tool with its server, cost and a line of its description, found by words of both', async () => {
    const { tools } = await suggest({ q: 'travel journey' });
    expect(tools).toEqual([
      {
        serverId: 'travel',
        serverName: 'Travel',
        name: 'plan_trip',
        displayName: 'Plan a journey',
        displayDescription: expect.stringMatching(/^Plans\. .{100,155}…$/),
        creditCost: 3,
      },
    ]);
  });

  test('without a text are the first servers by name, and no tool', async () => {
    const { servers, tools } = await suggest({ limit: '3' });
    expect([idsOf({ servers }), tools]).toEqual([byName.slice(0, 3), []]);
  });

  test.each([
    [{ q: longText }, 'query.q: must be at most 200 characters'],
    [{ limit: '21' }, 'query.limit: must be at most 20'],
  ])('%j is refused', async (query, message) => {
    const answer = await fetch(addressOf(query, '/api/catalogue/suggestions'));
    expect([answer.status, await answer.json()]).toEqual([400, expect.objectContaining({ message })]);
  });
});
