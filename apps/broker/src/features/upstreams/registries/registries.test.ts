import type { Registry } from '@souk/contract/catalogue/registries.ts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { freePort } from '#testing/network/free-port.ts';
import { startHttpFixture, type HttpFixture } from '#testing/servers/mcp-fixture.ts';
import { startMcpRegistry, type McpRegistry, type RegistryFault } from '#testing/servers/mcp-registry.ts';
import { connectModern } from '#testing/people/mcp-clients.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { say, startImportShop, type ImportShop } from '../import/testing/import-shop.ts';

// Registries that are added by their address: imports, later updates, and the effects of a bad registry.

let published: McpRegistry;
let fixture: HttpFixture;
let shop: ImportShop;
let registry: Registry;
/** Another Souk. */
let first: TestApp;
let deadPort: number;

beforeAll(async () => {
  published = await startMcpRegistry();
  fixture = await startHttpFixture('both');
  deadPort = await freePort();
  first = await startTestApp({ env: withoutHealthChecks, allowAddresses: [fixture.address] });
  const { token } = await first.identity.createPersonalToken({ email: 'shop@souk.test', name: 'second' });
  shop = await startImportShop({
    allowAddresses: [published.address, fixture.address, `127.0.0.1:${deadPort}`, new URL(first.publicUrl).host],
    env: { UPSTREAM_HEADER_LOCALHOST_WEIR__AUTHORIZATION: `Bearer ${token}` },
  });
  registry = (await shop.api.addRegistry({ body: { name: 'Shelf', url: published.url } })).registry;
});
afterAll(async () => {
  await shop?.stop();
  await first?.stop();
  await published?.close();
  await fixture?.close();
});
afterEach(async () => {
  published.fail(undefined);
  const { registries } = await shop.api.listRegistries();
  for (const { id } of registries) if (id !== registry.id) await shop.api.removeRegistry({ params: { id } });
});
beforeEach(() => void published.asked());

const remote = (name: string, version: string, more: object = {}) => ({
  name,
  version,
  description: `All of ${name}.`,
  remotes: [{ type: 'streamable-http', url: fixture.url }],
  ...more,
});
const withPackage = (name: string, registryType: string) => ({
  name,
  version: '1.0.0',
  description: 'A package.',
  packages: [{ registryType, identifier: 'mill-mcp', version: '1.0.0', transport: { type: 'stdio' } }],
});
const browse = (query: Parameters<ImportShop['api']['browseRegistry']>[0]['query'] = {}) =>
  shop.api.browseRegistry({ params: { id: registry.id }, query });
const namesOf = ({ servers }: Awaited<ReturnType<typeof browse>>) => servers.map(({ name }) => name);
const preview = async (name: string, version: string) =>
  (await shop.api.previewImport({ body: { registryId: registry.id, servers: [{ name, version }] } })).entries[0];
const audits = async () => {
  const { rows } = await shop.app.db.query<{ action: string; subject: string; details: object }>(
    "select action, subject, details from audit_log where action like 'registry.%' order by id",
  );
  return rows;
};

test('a registry is added by its address, renamed and removed, each with an audit row, and receives no request', async () => {
  const added = await shop.api.addRegistry({ body: { name: 'Other', url: 'https://registry.example/v0.1/servers' } });
  expect(added.registry).toMatchObject({ name: 'Other', url: 'https://registry.example', servers: 0 });
  const { id } = added.registry;
  await shop.api.renameRegistry({ params: { id }, body: { name: 'Else' } });
  expect((await shop.api.listRegistries()).registries.map(({ name }) => name)).toEqual(['Else', 'Shelf']);
  await shop.api.removeRegistry({ params: { id } });
  expect((await shop.api.listRegistries()).registries.map(({ name }) => name)).toEqual(['Shelf']);
  expect((await audits()).slice(-3)).toEqual([
    {
      action: 'registry.added',
      subject: 'https://registry.example',
      details: { name: 'Other', via: 'administration' },
    },
    {
      action: 'registry.renamed',
      subject: 'https://registry.example',
      details: { before: 'Other', name: 'Else', via: 'administration' },
    },
    {
      action: 'registry.removed',
      subject: 'https://registry.example',
      details: { name: 'Else', via: 'administration' },
    },
  ]);
  expect(published.asked()).toEqual([]);
});

test.each([
  ['http://registry.example', 'url_not_allowed', /^url: must be https or wss in production, except at addresses/],
  ['https://127.0.0.1', 'url_not_allowed', /^url: must be a public address, or one that the operator allows/],
  [
    'https://me:pw@registry.example',
    'invalid_request',
    'url: must be an address without credentials, query and fragment',
  ],
  ['ftp://registry.example', 'invalid_request', 'url: must be an https address'],
  ['registry.example', 'invalid_request', 'url: must be an https address'],
])('the address %s is not a registry', async (url, code, message) => {
  const refused: unknown = await shop.api.addRegistry({ body: { name: 'x', url } }).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code, message: expect.stringMatching(message) });
});

test('the shop cannot be added as its own registry', async () => {
  const { publicUrl } = shop.app;
  for (const url of [publicUrl, `${publicUrl}/v0.1/servers`]) {
    await expect(shop.api.addRegistry({ body: { name: 'Own', url } }), url).rejects.toMatchObject({
      code: 'url_not_allowed',
      message: 'url: is the address of this shop itself',
    });
  }
});

test('an address can be added only once', async () => {
  const again = shop.api.addRegistry({ body: { name: 'Twice', url: `${published.url}/` } });
  await expect(again).rejects.toMatchObject({
    code: 'registry_known',
    message: `The registry ${published.url} is already here`,
  });
});

describe('what a registry offers', () => {
  beforeAll(() => {
    published.publish(remote('example.list/remote', '1.0.0', { title: 'Remote' }));
    published.publish(withPackage('example.list/npm', 'npm'), undefined, '2026-11-20T00:00:00Z');
    published.publish(withPackage('example.list/oci', 'oci'));
    published.publish(remote('example.list/old', '0.9.0'), {
      status: 'deprecated',
      message: 'use example.list/remote',
    });
    published.publish(remote('example.list/gone', '0.1.0'), { status: 'deleted' });
  });

  test('is listed, with what cannot be imported and why, and what is deprecated or deleted', async () => {
    const { servers, nextCursor, read } = await browse({ search: 'example.list' });
    expect({ nextCursor, read }).toEqual({ nextCursor: null, read: 5 });
    expect(published.asked()).toEqual(['/v0.1/servers?limit=50&version=latest&search=example.list']);
    expect(servers).toEqual([
      expect.objectContaining({
        name: 'example.list/gone',
        status: 'deleted',
        notImportable: 'its registry has deleted it',
      }),
      expect.objectContaining({ name: 'example.list/npm', kinds: ['npm'], status: 'active', notImportable: null }),
      expect.objectContaining({
        name: 'example.list/oci',
        kinds: ['oci'],
        notImportable:
          'it is a container image (mill-mcp): Souk starts no containers. Run it yourself so that it answers over HTTP, and import its address',
      }),
      expect.objectContaining({
        name: 'example.list/old',
        status: 'deprecated',
        statusMessage: 'use example.list/remote',
        notImportable: null,
      }),
      {
        name: 'example.list/remote',
        version: '1.0.0',
        title: 'Remote',
        description: 'All of example.list/remote.',
        kinds: ['remote'],
        status: 'active',
        statusMessage: null,
        updatedAt: '2026-10-01T00:00:00Z',
        notImportable: null,
        imported: null,
      },
    ]);
  });

  test('is filtered by kind, by what can be imported, by what is deprecated, and by the time of a change', async () => {
    const search = 'example.list';
    expect(namesOf(await browse({ search, kind: 'npm' }))).toEqual(['example.list/npm']);
    expect(namesOf(await browse({ search, hideDeprecated: 'true' }))).toEqual([
      'example.list/npm',
      'example.list/oci',
      'example.list/remote',
    ]);
    expect(namesOf(await browse({ search, importable: 'true', hideDeprecated: 'true' }))).toEqual([
      'example.list/npm',
      'example.list/remote',
    ]);
    expect(namesOf(await browse({ search, updatedSince: '2026-11-01T00:00:00+01:00' }))).toEqual(['example.list/npm']);
    expect(published.asked().at(-1)).toContain('updated_since=2026-10-31T23%3A00%3A00.000Z');
  });

  test('is read page by page: at most five pages per answer, and the next answer continues there', async () => {
    for (let n = 0; n < 300; n++)
      published.publish(withPackage(`example.many/oci-${String(n).padStart(3, '0')}`, 'oci'));
    published.publish(remote('example.many/remote', '1.0.0'));
    const first = await browse({ search: 'example.many', importable: 'true' });
    expect([namesOf(first), first.read, published.asked().length]).toEqual([[], 250, 5]);
    const second = await browse({ search: 'example.many', importable: 'true', cursor: first.nextCursor ?? '' });
    expect([namesOf(second), second.nextCursor, second.read]).toEqual([['example.many/remote'], null, 51]);
  });
});

const faults: readonly (readonly [RegistryFault, string])[] = [
  ['html', 'it answered text/html instead of JSON: it is not a registry with API v0.1'],
  ['huge', 'its answer is larger than 2 MiB'],
  ['bomb', 'it answered compressed (gzip), which Souk does not accept'],
  ['redirect', 'it redirects to another address, at http://169.254.169.254: add that one'],
  ['deep', 'its answer is nested deeper than 64 levels'],
  ['not-json', 'its answer is not valid JSON'],
  [404, 'its answer is not a list of servers: it is not a registry with API v0.1'],
  [503, 'it answered 503'],
  ['hangs', 'it did not answer within 10 s'],
  ['drips', 'it did not answer within 10 s'],
];

test.each(faults)(
  'a broken or hostile registry (%s) is reported with a reason, and everything else keeps working',
  async (fault, reason) => {
    published.fail(fault);
    const asked = browse().catch((error: unknown) => error);
    // meanwhile
    expect((await shop.api.listManifests({ query: {} })).success).toBe(true);
    expect(await asked).toMatchObject({
      code: 'registry_unavailable',
      status: 502,
      message: `Shelf cannot be read: ${reason}`,
    });
  },
);

test('a registry that returns the same page again is read once, and one that returns another server is refused', async () => {
  published.fail('same-cursor');
  expect(await browse({ cursor: 'again' })).toMatchObject({ servers: [], nextCursor: null });
  published.fail(undefined);
  published.publish(remote('example.other/one', '1.0.0'));
  published.fail('another');
  expect(await preview('example.other/two', '1.0.0')).toMatchObject({
    result: 'refused',
    reason: 'its registry returned another server under this name',
  });
});

test('a registry at an address where nothing listens is reported as such', async () => {
  const { registry: dead } = await shop.api.addRegistry({
    body: { name: 'Dead', url: `http://127.0.0.1:${deadPort}` },
  });
  const asked = shop.api.browseRegistry({ params: { id: dead.id }, query: {} });
  await expect(asked).rejects.toMatchObject({ message: 'Dead cannot be read: it cannot be reached (ECONNREFUSED)' });
});

test('another Souk is a registry: its service is imported, deployed here, and called through both', async () => {
  await deployManifest(first, { id: 'weir', name: 'Weir', connection: { type: 'http', url: fixture.url } });
  const { registry: souk } = await shop.api.addRegistry({ body: { name: 'First', url: first.publicUrl } });
  const listed = await shop.api.browseRegistry({ params: { id: souk.id }, query: {} });
  expect(listed.servers).toMatchObject([{ name: 'localhost/weir', kinds: ['remote'], notImportable: null }]);
  const servers = [{ name: 'localhost/weir', version: '1.0.0' }];
  const [entry] = (await shop.api.previewImport({ body: { registryId: souk.id, servers } })).entries;
  expect(entry && say(entry)).toEqual([
    `ready localhost-weir 1.0.0 http ${first.publicUrl}/s/weir/mcp price 0`,
    'note: If users sign in there, add "auth": { "type": "oauth" } to its manifest: its connection test shows whether they do.',
  ]);
  // it requires a token, which its registry does not mention
  const auth = { type: 'headers', headers: [{ name: 'Authorization', from: 'operator' }] };
  const manifest = { ...entry?.manifest, auth };
  await shop.api.stageImport({ body: { entries: [{ manifest, ...(entry?.source && { source: entry.source }) }] } });
  const { failure } = await shop.api.deployManifest({ params: { id: 'localhost-weir' }, body: {} });
  expect(failure).toBeUndefined();
  const { token } = await shop.app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' });
  const client = await connectModern(`${shop.app.publicUrl}/mcp`, token);
  const { tools } = await client.listTools();
  const echo = tools.find(({ name }) => name.endsWith('__echo'))?.name ?? '';
  expect(await client.callTool({ name: echo, arguments: { text: 'through both' } })).toMatchObject({
    content: [{ type: 'text', text: 'through both' }],
  });
  await client.close();
  // it is removed there, and reported here
  await first.catalogue.undeploy('weir', { via: 'command' });
  expect((await shop.api.checkRegistryUpdates()).updates).toMatchObject([{ id: 'localhost-weir', status: 'deleted' }]);
});
