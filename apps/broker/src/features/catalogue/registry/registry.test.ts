import {
  getRegistryVersion,
  listRegistryServers,
  registryMetaKey,
  type RegistryEntry,
} from '@souk/contract/catalogue/registry.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';
import { monotonicMs, systemClock } from '#platform/clock.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { connectModern } from '#testing/people/mcp-clients.ts';
import { startHttpFixture, type HttpFixture } from '#testing/servers/mcp-fixture.ts';
import { describeOnDatabases } from '#testing/databases/databases.ts';
import { serverJsonRules } from '#testing/servers/official-schemas.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { migrations } from '../../../migrations.ts';

const minuteMs = 60_000;
const official = new AjvJsonSchemaValidator().getValidator(serverJsonRules);
const long =
  'Looks up what is on a shelf, orders what is missing, and tells the people of the shop when it comes in, in words.';

describeOnDatabases('the shop as a registry', migrations, (open) => {
  let app: TestApp;
  let fixture: HttpFixture;
  let nowMs = Date.parse('2026-11-01T08:00:00Z');
  const by = { via: 'command' } as const;
  const deploy = async (id: string, more: object = {}) => {
    nowMs += minuteMs;
    await deployManifest(app, {
      id,
      name: id,
      description: `All of ${id}.`,
      connection: { type: 'http', url: fixture.url },
      ...more,
    });
  };

  beforeAll(async () => {
    fixture = await startHttpFixture('modern');
    app = await startTestApp({
      db: await open(),
      allowAddresses: [fixture.address],
      env: withoutHealthChecks,
      clock: { now: () => nowMs, monotonic: () => monotonicMs(systemClock) },
    });
    await deploy('anvil', { version: '1.0.0' });
    await deploy('anvil', { version: '1.1.0' });
    await deploy('shelf', { name: 'Bücherregal', description: long });
    await deploy('kite');
    await deploy('gone');
    nowMs += minuteMs;
    await app.catalogue.undeploy('gone', by);
    await app.catalogue.stage({ ...(await found('anvil')), id: 'staged' }, { origin: 'admin' });
  });
  afterAll(async () => {
    await app?.stop();
    await fixture?.close();
  });
  const found = async (id: string) => {
    const manifest = app.catalogue.snapshot().byId.get(id)?.manifest;
    if (!manifest) throw new Error(`${id} is not deployed`);
    return manifest;
  };

  const get = (path: string) => fetch(`${app.publicUrl}/v0.1/servers${path}`);
  async function list(query: Record<string, string> = {}) {
    const answer = await get(`?${new URLSearchParams(query)}`);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    const text = await answer.text();
    for (const { server } of JSON.parse(text).servers) expect(official(server).errorMessage).toBeUndefined();
    return listRegistryServers.answer.parse(JSON.parse(text));
  }
  const namesOf = ({ servers }: { servers: RegistryEntry[] }) =>
    servers.map(({ server }) => `${server.name} ${server.version}`);
  const metaOf = (entry: RegistryEntry | undefined) => entry?._meta[registryMetaKey];

  // the last test changes what the others read
  describe('queried', { shuffle: false }, () => {
    test('lists what is deployed, with the address at which a client reaches it', async () => {
      const all = await list();
      // PUBLIC_URL is http://localhost:…
      expect(namesOf(all)).toEqual(['localhost/anvil 1.1.0', 'localhost/kite 1.0.0', 'localhost/shelf 1.0.0']);
      expect(all.metadata).toEqual({ count: 3 });
      const [anvil, , shelf] = all.servers;
      expect(anvil?.server).toMatchObject({
        title: 'anvil',
        description: 'All of anvil.',
        websiteUrl: `${app.publicUrl}/service/anvil`,
        remotes: [{ type: 'streamable-http', url: `${app.publicUrl}/s/anvil/mcp` }],
      });
      expect(metaOf(anvil)).toEqual({
        status: 'active',
        statusChangedAt: '2026-11-01T08:02:00.000Z',
        publishedAt: '2026-11-01T08:02:00.000Z',
        updatedAt: '2026-11-01T08:02:00.000Z',
        isLatest: true,
      });
      expect(shelf?.server.title).toBe('Bücherregal');
      expect(shelf?.server.description).toBe(
        'Looks up what is on a shelf, orders what is missing, and tells the people of the shop when it…',
      );
    });

    test('a browser of any origin may query it, with a token or without', async () => {
      const headers = { origin: 'https://gallery.example', 'access-control-request-method': 'GET' };
      for (const path of ['', '/localhost%2Fkite/versions', '/localhost%2Fkite/versions/latest']) {
        const asked = await fetch(`${app.publicUrl}/v0.1/servers${path}`, { method: 'OPTIONS', headers });
        expect(asked.status).toBe(204);
        expect(Object.fromEntries(asked.headers)).toMatchObject({
          'access-control-allow-origin': '*',
          'access-control-allow-methods': 'GET, OPTIONS',
          'access-control-allow-headers': 'Authorization, Content-Type, If-None-Match',
        });
        expect((await get(path)).headers.get('access-control-allow-headers')).toBe(
          'Authorization, Content-Type, If-None-Match',
        );
      }
    });

    test('a client that takes the address from it has the tools of that server', async () => {
      const [entry] = (await list({ search: 'KITE' })).servers;
      const { token } = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' });
      const client = await connectModern(entry?.server.remotes[0]?.url ?? '', token);
      expect((await client.listTools()).tools.map(({ name }) => name)).toContain('echo');
      await client.close();
    });

    test('is read page by page, and searched by name and title', async () => {
      const pages: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await list({ limit: '2', ...(cursor !== undefined && { cursor }) });
        pages.push(...namesOf(page));
        cursor = page.metadata.nextCursor;
      } while (cursor !== undefined);
      expect(pages).toEqual(namesOf(await list()));
      expect(namesOf(await list({ search: 'bücher' }))).toEqual(['localhost/shelf 1.0.0']);
      expect(namesOf(await list({ search: 'localhost/k' }))).toEqual(['localhost/kite 1.0.0']);
      expect(namesOf(await list({ search: '%' }))).toEqual([]);
      expect(namesOf(await list({ version: '1.0.0', include_deleted: 'true' }))).toEqual([
        'localhost/anvil 1.0.0',
        'localhost/gone 1.0.0',
        'localhost/kite 1.0.0',
        'localhost/shelf 1.0.0',
      ]);
      expect(namesOf(await list({ version: 'latest' }))).toEqual(namesOf(await list()));
    });

    test('a server that was removed is reported as deleted to clients that follow the registry', async () => {
      const since = await list({ updated_since: '2026-11-01T08:04:00Z' });
      expect(namesOf(since)).toEqual(['localhost/gone 1.0.0', 'localhost/kite 1.0.0']);
      expect(metaOf(since.servers[0])).toEqual({
        status: 'deleted',
        statusChangedAt: '2026-11-01T08:06:00.000Z',
        publishedAt: '2026-11-01T08:05:00.000Z',
        updatedAt: '2026-11-01T08:06:00.000Z',
        isLatest: true,
      });
      expect(namesOf(await list({ updated_since: '2026-11-01T08:07:00Z' }))).toEqual([]);
      expect(namesOf(await list({ include_deleted: 'true' }))).toHaveLength(5);
    });

    test('has the versions of a server, the newest first, and each of them', async () => {
      const name = encodeURIComponent('localhost/anvil');
      const versions = async (query = '') =>
        listRegistryServers.answer.parse(await (await get(`/${name}/versions${query}`)).json());
      expect(namesOf(await versions())).toEqual(['localhost/anvil 1.1.0']);
      expect(namesOf(await versions('?include_deleted=true'))).toEqual([
        'localhost/anvil 1.1.0',
        'localhost/anvil 1.0.0',
      ]);
      const one = async (version: string) => {
        const answer = await get(`/${name}/versions/${version}`);
        return answer.status === 200 ? getRegistryVersion.answer.parse(await answer.json()) : answer.status;
      };
      expect(await one('latest')).toEqual(await one('1.1.0'));
      expect(await one('latest')).toMatchObject({ server: { version: '1.1.0' } });
      expect(await one('1.0.0')).toBe(404);
      expect(await one('1.0.0?include_deleted=true')).toMatchObject({
        _meta: { [registryMetaKey]: { status: 'deleted', isLatest: false, updatedAt: '2026-11-01T08:02:00.000Z' } },
      });
      // deployed again: it is listed again
      nowMs += minuteMs;
      await app.catalogue.deploy('anvil', '1.0.0', by);
      expect(await one('latest')).toMatchObject({ server: { version: '1.0.0' } });
      expect(await one('1.1.0')).toBe(404);
    });
  });

  test.each([
    ['/localhost%2Fnone/versions', 404, 'This registry has no localhost/none'],
    ['/com.example%2Fanvil/versions/latest', 404, 'This registry has no com.example/anvil'],
    ['/localhost%2Fstaged/versions/latest', 404, 'This registry has no localhost/staged latest'],
    ['?limit=0', 400, 'query.limit: '],
    ['?limit=101', 400, 'query.limit: '],
    ['?cursor=x', 400, 'query.cursor: is not a cursor of this list'],
    ['?cursor=2026-01-01T00:00:00Z_1', 400, 'query.cursor: is not a cursor of this list'],
    ['?updated_since=yesterday', 400, 'query.updated_since: must be a date and time'],
    ['?include_deleted=maybe', 400, 'query.include_deleted: '],
  ])('%s is refused', async (path, status, message) => {
    const answer = await get(path);
    expect([answer.status, JSON.parse(await answer.text())]).toEqual([
      status,
      expect.objectContaining({ message: expect.stringContaining(message) }),
    ]);
  });
});
