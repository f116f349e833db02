import type { Registry } from '@souk/contract/catalogue/registries.ts';
import { beforeAll, expect, test } from 'vitest';
import { describeOnDatabases } from '#testing/databases/databases.ts';
import { startHttpFixture, type HttpFixture } from '#testing/servers/mcp-fixture.ts';
import { startMcpRegistry, type McpRegistry } from '#testing/servers/mcp-registry.ts';
import { migrations } from '../../../migrations.ts';
import { say, startImportShop, type ImportShop } from '../import/testing/import-shop.ts';

describeOnDatabases('updates of imported servers', migrations, (open) => {
  let published: McpRegistry;
  let fixture: HttpFixture;
  let shop: ImportShop;
  let registry: Registry;

  beforeAll(async () => {
    published = await startMcpRegistry();
    fixture = await startHttpFixture('both');
    shop = await startImportShop({ db: await open(), allowAddresses: [published.address, fixture.address] });
    registry = (await shop.api.addRegistry({ body: { name: 'Shelf', url: published.url } })).registry;
    return async () => {
      await shop.stop();
      await published.close();
      await fixture.close();
    };
  });

  const remote = (name: string, version: string, more: object = {}) => ({
    name,
    version,
    description: `All of ${name}.`,
    remotes: [{ type: 'streamable-http', url: fixture.url }],
    ...more,
  });
  const browse = (query: Parameters<ImportShop['api']['browseRegistry']>[0]['query']) =>
    shop.api.browseRegistry({ params: { id: registry.id }, query });
  const preview = async (name: string, version: string) =>
    (await shop.api.previewImport({ body: { registryId: registry.id, servers: [{ name, version }] } })).entries[0];
  async function stage(name: string, version: string) {
    const entry = await preview(name, version);
    if (entry?.result !== 'ready' || !entry.manifest) throw new Error(`${name} is ${entry?.result}: ${entry?.reason}`);
    const { source, manifest } = entry;
    return (await shop.api.stageImport({ body: { entries: [{ manifest, ...(source && { source }) }] } })).results;
  }

  test('a server that came from a registry is followed: a new version is found, shown with its changes, and staged by a click', async () => {
    const name = 'example.follow/tides';
    published.publish(remote(name, '1.0.0', { title: 'Tides' }));
    expect(await stage(name, '1.0.0')).toEqual([{ id: 'example-follow-tides', version: '1.0.0', result: 'staged' }]);
    await shop.api.deployManifest({ params: { id: 'example-follow-tides' }, body: {} });
    const { rows } = await shop.app.db.query('select source from manifest_versions where server_id = $1', [
      'example-follow-tides',
    ]);
    expect(rows).toEqual([
      {
        source: {
          registryId: registry.id,
          registry: { name: 'Shelf', url: published.url },
          name,
          version: '1.0.0',
          imported: {
            name: 'Tides',
            description: `All of ${name}.`,
            connection: { type: 'http', url: fixture.url },
            registryName: name,
          },
        },
      },
    ]);
    expect((await shop.api.checkRegistryUpdates()).updates).toEqual([]);

    // an administrator changes the name and gives it a price
    const { manifest } = await shop.api.getManifest({ params: { id: 'example-follow-tides' }, query: {} });
    const billing = { tier: 'T0', toolCosts: { echo: 3 } };
    const own = { ...manifest, name: 'Our tides', version: '1.0.0-shop', billing };
    await shop.api.updateManifest({ params: { id: 'example-follow-tides' }, query: {}, body: JSON.stringify(own) });

    published.publish(
      remote(name, '1.1.0', {
        title: 'High Tides',
        description: 'High water.',
        remotes: [
          {
            type: 'streamable-http',
            url: fixture.url,
            headers: [{ name: 'X-Tide-Key', isRequired: true, isSecret: true }],
          },
        ],
      }),
    );
    const found = await shop.api.checkRegistryUpdates();
    expect(found).toMatchObject({ followed: 1, failures: [] });
    expect(found.updates).toEqual([
      {
        id: 'example-follow-tides',
        name: 'Our tides',
        registry: { id: registry.id, name: 'Shelf' },
        registryName: name,
        from: '1.0.0',
        to: '1.1.0',
        status: 'active',
        checkedAt: expect.stringMatching(/^\d{4}-/),
      },
    ]);
    expect((await shop.api.listRegistryUpdates()).updates).toEqual(found.updates);
    expect((await browse({ search: name })).servers).toMatchObject([
      { version: '1.1.0', imported: { id: 'example-follow-tides', version: '1.0.0' } },
    ]);
    const entry = await preview(name, '1.1.0');
    expect(entry && say(entry)).toEqual([
      `ready example-follow-tides 1.1.0 http ${fixture.url} price 0`,
      'secret: X-Tide-Key in UPSTREAM_HEADER_EXAMPLE_FOLLOW_TIDES__X_TIDE_KEY',
      'change: version: 1.0.0-shop -> 1.1.0',
      `change: description: "All of ${name}." -> "High water."`,
      'change: sign-in: none -> with secrets in headers',
      'change: auth.headers: [{"name":"X-Tide-Key","from":"operator"}]',
      'note: Its name was changed here and is kept.',
    ]);
    expect(entry?.manifest).toMatchObject({ name: 'Our tides', billing });
    await stage(name, '1.1.0');
    expect((await shop.api.listRegistryUpdates()).updates).toEqual([]);

    // a removal from its registry is reported, and the server stays here
    published.publish(remote(name, '1.1.0'), { status: 'deleted' });
    expect((await shop.api.checkRegistryUpdates()).updates).toMatchObject([
      { from: '1.1.0', to: '1.1.0', status: 'deleted' },
    ]);
    // a registry that does not respond is reported too, and earlier updates stay
    published.fail(503);
    expect(await shop.api.checkRegistryUpdates()).toMatchObject({
      updates: [{ status: 'deleted' }],
      failures: ['Shelf: it answered 503'],
    });
  });
});
