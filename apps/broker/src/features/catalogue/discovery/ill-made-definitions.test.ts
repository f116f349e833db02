import { getCapabilities } from '@souk/contract/catalogue/catalogue.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { connectModern, connectV1 } from '#testing/people/mcp-clients.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { startListServer, type ListServer } from '../testing/list-server.ts';

const eras = ['modern', 'legacy'] as const;
const object = { type: 'object' };
const nine = Array.from({ length: 9 }, (_, index) => ({ name: `good-${index}`, inputSchema: object }));
/** Ten items of one kind, one of which is invalid; the reason that the status gives. */
const wrongs: [string, unknown, string][] = [
  [
    'a NUL in the name',
    { name: 'b\0d', inputSchema: object },
    'The tool “b d” is left out: the definition contains a NUL',
  ],
  ['a NUL in the description', { name: 'bad', description: 'a\0b', inputSchema: object }, 'contains a NUL character'],
  ['a NUL in a schema', { name: 'bad', inputSchema: { ...object, 'x\0y': 1 } }, 'contains a NUL character'],
  [
    'ill-shaped annotations',
    { name: 'bad', annotations: { readOnlyHint: 'yes' }, inputSchema: object },
    'annotations.readOnlyHint is not valid',
  ],
  ['annotations that are a list', { name: 'bad', annotations: [1], inputSchema: object }, 'annotations is not valid'],
  ['a schema that refuses everything', { name: 'bad', inputSchema: false }, 'inputSchema is not valid'],
  ['a schema of another type', { name: 'bad', inputSchema: { type: 'string' } }, 'inputSchema.type is not valid'],
  ['a schema that is text', { name: 'bad', inputSchema: 'object' }, 'inputSchema is not valid'],
  [
    'an output schema that is text',
    { name: 'bad', inputSchema: object, outputSchema: 'x' },
    'outputSchema is not valid',
  ],
  ['ill-shaped icons', { name: 'bad', icons: 'x', inputSchema: object }, 'icons is not valid'],
  ['ill-shaped _meta', { name: 'bad', _meta: 'x', inputSchema: object }, '_meta is not valid'],
  ['a name that is a number', { name: 7, inputSchema: object }, 'A tool is left out: name is not valid'],
  ['an empty name', { name: '', inputSchema: object }, 'A tool is left out: name is empty'],
  ['a name of 4 KiB', { name: 'x'.repeat(4096), inputSchema: object }, 'name is longer than 256 bytes'],
  [
    'a name that turns text around',
    { name: 'safe\u202Etxt', inputSchema: object },
    'The tool “safe txt” is left out: name contains hidden characters',
  ],
  [
    'an argument with a hidden name',
    { name: 'bad', inputSchema: { ...object, properties: { 'a\u200Bb': {} } } },
    'the name of a field contains hidden characters',
  ],
  [
    'a definition over 64 KiB',
    { name: 'bad', description: 'x'.repeat(65 * 1024), inputSchema: object },
    'and the limit is 65536',
  ],
  [
    'a name that is listed twice',
    { name: 'good-3', inputSchema: object },
    'The tool “good-3” is left out: its name is listed twice',
  ],
  ['null', null, 'A tool is left out: the definition is not valid'],
];

let app: TestApp;
let token: string;
const servers = new Map<string, ListServer>();

beforeAll(async () => {
  for (const era of eras) servers.set(era, await startListServer(era));
  app = await startTestApp({ allowAddresses: [...servers.values()].map(({ address }) => address) });
  ({ token } = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' }));
});
afterAll(async () => {
  await app?.stop();
  await Promise.all([...servers.values()].map((server) => server.close()));
});

const found = (id: string) => app.catalogue.snapshot().byId.get(id);

async function deploy(
  era: string,
  id: string,
  lists: Parameters<ListServer['offer']>[0],
  version = '1',
): Promise<void> {
  const server = servers.get(era);
  if (!server) throw new Error('no server of this era');
  server.offer(lists);
  await deployManifest(app, { id, version, slug: id.slice(0, 12), connection: { type: 'http', url: server.url } });
}

/** Definitions that do not say that arguments are an object, which they always are, and how they are listed. */
const unsaid: Record<string, [tool: object, listed: object]> = {
  'no schema': [{}, object],
  null: [{ inputSchema: null }, object],
  'anything goes': [{ inputSchema: true }, object],
  'an empty schema': [{ inputSchema: {} }, object],
  'a union': [{ inputSchema: { anyOf: [{ required: ['a'] }, object] } }, object],
  'an object or null': [{ inputSchema: { type: ['null', 'object'], title: 'a' } }, { ...object, title: 'a' }],
};

test.each(eras)('an input schema that does not say "object" is read as an object: a %s server', async (era) => {
  const tools = Object.entries(unsaid).map(([title, [tool]], index) => ({ title, name: `t${index}`, ...tool }));
  await deploy(era, `${era}-unsaid`, { tools: [...nine, ...tools] });
  expect(found(`${era}-unsaid`)).toMatchObject({ status: 'connected', statusDetail: undefined });
  const client = await connectV1(`${app.publicUrl}/s/${era}-unsaid/mcp`, token);
  const { tools: listed } = await client.listTools();
  await client.close();
  const schemas = listed.map(({ title, inputSchema }) => [title, inputSchema]).slice(nine.length);
  expect(Object.fromEntries(schemas)).toEqual(
    Object.fromEntries(Object.entries(unsaid).map(([title, [, schema]]) => [title, schema])),
  );
});

test('up to 2025-11-25 an output schema that does not say "object" promises nothing', async () => {
  const outputSchema = { $id: 'some.result.v1', description: 'anything' };
  await deploy('legacy', 'promises', { tools: [{ name: 'a', inputSchema: object, outputSchema }, ...nine] });
  const client = await connectV1(`${app.publicUrl}/s/promises/mcp`, token);
  const { tools: listed } = await client.listTools();
  await client.close();
  expect(listed.map(({ name, outputSchema: promised }) => [name, promised])).toEqual([
    ['a', undefined],
    ...nine.map(({ name }) => [name, undefined]),
  ]);
});

describe.each(eras)('security row 45: a %s server with ten tools, one of which is invalid', (era) => {
  // which definitions are invalid does not depend on the era, except for what the SDK demands
  const some = wrongs.filter(([title]) => era === 'modern' || /annotations|output|in a schema|twice/.test(title));
  test.each(some.map((wrong, index) => [...wrong, index] as const))(
    '%s: nine are listed, and the status names the tenth',
    async (_, bad, reason, index) => {
      const id = `${era.slice(0, 1)}${index}`;
      await deploy(era, id, { tools: [...nine.slice(0, 4), bad, ...nine.slice(4)] });
      expect(found(id)?.tools.map(({ name }) => name)).toEqual(nine.map(({ name }) => name));
      const answer = await fetch(`${app.publicUrl}/mcp/capabilities`);
      const server = getCapabilities.answer.parse(await answer.json()).servers.find((each) => each.serverId === id);
      expect(server).toMatchObject({ status: 'connected', statusDetail: expect.stringContaining(reason) });
      expect(app.logged()).toContain(reason);
    },
  );

  test('the same holds for prompts, resources and their templates', async () => {
    const prompts = [{ name: 'good' }, { name: 'bad\u202E' }, { name: 'worse', arguments: [{}] }, { name: 'good' }];
    const resources = [
      { uri: 'test://good', name: 'go\u202Eod\nly' },
      { uri: 'test://\0', name: 'bad' },
      { uri: 'test://worse', name: 'worse', size: 'high' },
      { uri: `test://${'x'.repeat(3000)}`, name: 'long' },
    ];
    const resourceTemplates = [
      { uriTemplate: 'test://{good}', name: 'good' },
      { uriTemplate: 7, name: 'bad' },
    ];
    await deploy(era, `${era}-others`, { prompts, resources, resourceTemplates, instructions: 'be\0 kind\u202E' });
    const server = found(`${era}-others`);
    expect(server?.prompts.map(({ name }) => name)).toEqual(['good']);
    expect(server?.resources.map(({ name }) => name)).toEqual(['test://good']);
    expect(server?.resources[0]).toMatchObject({ definition: { name: 'good ly' }, flagged: true });
    expect(server?.templates.map(({ name }) => name)).toEqual(['test://{good}']);
    expect(server?.instructions).toBe('be kind');
    expect(server?.leftOut).toMatch(/^The prompt “bad” is left out: .* 4 more are left out\.$/);
  });
});

test('the status keeps naming what is left out while health checks succeed, until the server lists it correctly', async () => {
  await deploy('modern', 'mends', { tools: [{ name: 'bad', inputSchema: 'x' }] });
  await app.catalogue.setHealth('mends', { status: 'disconnected', detail: 'gone', era: undefined });
  await app.catalogue.setHealth('mends', { status: 'connected', detail: undefined, era: undefined });
  expect(found('mends')?.leftOut).toContain('The tool “bad” is left out');
  servers.get('modern')?.offer({ tools: nine });
  await deployManifest(app, {
    id: 'mends',
    version: '2',
    connection: { type: 'http', url: servers.get('modern')?.url },
  });
  await expect.poll(() => found('mends')?.leftOut).toBeUndefined();
});

test("a server's addresses cannot replace those of another: they get a prefix if they look like ours", async () => {
  const own = [{ uri: 'test://x', name: 'x' }];
  await deploy('modern', 'before', { resources: own });
  const taken = [
    { uri: 'souk://victim/test://x', name: 'taken' },
    { uri: 'ui://souk/victim/x', name: 'page' },
  ];
  await deploy('modern', 'squatter', { resources: taken });
  await deploy('modern', 'victim', { resources: own });
  expect(found('victim')?.resources[0]?.exposedName).toBe('souk://victim/test://x');
  expect(found('squatter')?.resources.map(({ exposedName }) => exposedName)).toEqual([
    'souk://squatter/souk://victim/test://x',
    'ui://souk/squatter/souk/victim/x',
  ]);
});

test('two tools whose names become equal on the shared link do not fail the server: the first is kept', async () => {
  const spaced = { name: 'a b', inputSchema: object };
  await deploy('modern', 'twins', { tools: [spaced] });
  const exposed = found('twins')?.tools[0]?.exposedName ?? '';
  const other = { name: exposed.slice('twins__'.length), inputSchema: object };
  await deploy('modern', 'twins', { tools: [spaced, other, ...nine] }, '2');
  await expect.poll(() => found('twins')?.tools.length).toBe(10);
  await expect.poll(() => found('twins')?.leftOut ?? '').toContain('its name is listed twice');
});

test('no name that a client or a user sees contains a hidden character', async () => {
  const title = 'Re\u202Ead\u200B\nmail';
  await deploy('modern', 'shown', { tools: [{ name: 'read', title, inputSchema: object, annotations: { title } }] });
  const client = await connectModern(`${app.publicUrl}/s/shown/mcp`, token);
  const { tools } = await client.listTools();
  await client.close();
  expect(tools).toMatchObject([{ name: 'read', title: 'Read mail', annotations: { title: 'Read mail' } }]);
  const text = await (await fetch(`${app.publicUrl}/mcp/capabilities`)).text();
  expect(text).not.toMatch(/[\p{Cf}]|\\u00[01]|\\u20[02]/u);
  expect(text).toContain('Read mail');
});

test('the price of a tool that the server does not offer is reported once the server was discovered', async () => {
  const server = servers.get('modern');
  server?.offer({ tools: [{ name: 'search', inputSchema: object }] });
  const priced = (toolCosts: object, announcedPrices: object = {}) =>
    deployManifest(app, {
      id: 'priced',
      version: `1.0.${(version += 1)}`,
      connection: { type: 'http', url: server?.url },
      billing: { tier: 'T0', toolCosts, announcedPrices },
    });
  const told = () => app.catalogue.snapshot().byId.get('priced')?.leftOut;
  let version = 0;
  await priced({ serach: 5, search: 5 }, { old: { credits: 7, from: '2030-01-01T00:00:00Z' } });
  expect(told()).toBe(
    '“serach” has a price, and the server does not offer it. “old” has a price, and the server does not offer it.',
  );
  expect(app.logged()).toContain('“serach” has a price');
  await priced({ a: 1, b: 1, c: 1, d: 1, e: 1 });
  await expect.poll(told).toMatch(/offer it\. 2 more have prices and are not offered\.$/);
  await priced({ search: 5 });
  await expect.poll(told).toBeUndefined();
});
