import { expect, test } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import { createLog } from '#platform/log.ts';
import { describeOnEmbedded } from '#testing/databases/databases.ts';
import { migrations } from '../../../migrations.ts';
import { createCatalogue, type Catalogue } from '../create-catalogue.ts';
import { createServerIndex, type SortOrder } from '../search/server-index.ts';
import type { CatalogueSnapshot } from './snapshot.ts';
import { manifest, offering, tool } from '../testing/weather-server.ts';

const log = createLog('silent');
const by = { via: 'command' } as const;
const orders: readonly SortOrder[] = ['name', 'price', 'tools', 'updated', 'popular', 'featured'];
const noUse = new Map();

/**
 * Returns everything that a snapshot answers, and every order of a search, for the names that any snapshot ever had.
 */
function contentOf(snapshot: CatalogueSnapshot, names: ReadonlySet<string>, indexOf = createServerIndex(() => noUse)) {
  const { servers, byId, toolsByExposedName, promptsByExposedName, resourcesByExposedName } = snapshot;
  const maps = { byId, toolsByExposedName, promptsByExposedName, resourcesByExposedName };
  return {
    servers,
    found: Object.entries(maps).map(([name, map]) => [
      name,
      [...names].map((key) => [key, map.has(key), map.get(key)] as const),
    ]),
    orders: orders.map((order) => [order, indexOf(snapshot).inOrder(order)]),
  };
}

const namesIn = ({ servers }: CatalogueSnapshot): string[] =>
  servers.flatMap(({ id, tools, toolsUnderReview, prompts, resources }) => [
    id,
    ...[...tools, ...toolsUnderReview, ...prompts, ...resources].map(({ exposedName }) => exposedName),
  ]);

const priced = (price: number) => ({ billing: { tier: 'T1', rental: { price } } });

/** Changes, applied in order to one catalogue. */
const changes: Readonly<Record<string, (catalogue: Catalogue, db: Database) => Promise<unknown>>> = {
  'a server is deployed': (catalogue) => catalogue.deployManifest(manifest('kite'), by),
  'one before it': (catalogue) => catalogue.deployManifest(manifest('anvil', priced(900)), by),
  'one behind it, with the name of another': (catalogue) =>
    catalogue.deployManifest(manifest('zebra', { name: 'KITE' }), by),
  'one offers everything': (catalogue) =>
    catalogue.storeDiscovery(
      'kite',
      offering({ prompts: [{ name: 'hello' }], resources: [{ name: 'list', uri: 'data://list' }] }),
    ),
  'another one offers the same address': (catalogue) =>
    catalogue.storeDiscovery('zebra', offering({ resources: [{ name: 'list', uri: 'data://list' }] })),
  'the first gives the address up': (catalogue) =>
    catalogue.storeDiscovery('kite', offering({ prompts: [{ name: 'hello' }] })),
  'the other one takes it': (catalogue) =>
    catalogue.storeDiscovery('zebra', offering({ resources: [{ name: 'list', uri: 'data://list' }] })),
  'a tool is under review': (catalogue) =>
    catalogue.storeDiscovery('kite', offering({ tools: [tool('one'), tool('two'), tool('three')] })),
  'it is approved': async (catalogue) => {
    const { code } = await catalogue.pendingTools('kite');
    await catalogue.approveTools('kite', ['three'], code, by);
    await catalogue.storeDiscovery('kite', offering({ tools: [tool('one'), tool('two'), tool('three')] }));
  },
  'a server goes down': (catalogue) =>
    catalogue.setHealth('anvil', { status: 'error', detail: 'It does not answer', era: undefined }),
  'a new version has another name, price and costs': (catalogue) =>
    catalogue.deployManifest(
      manifest('kite', {
        version: '2.0.0',
        name: 'Yacht',
        billing: { tier: 'T2', rental: { price: 300 }, toolCosts: { two: 5 } },
      }),
      by,
    ),
  'a tool goes': (catalogue) => catalogue.storeDiscovery('kite', offering({ tools: [tool('two')] })),
  'the version before is live again': (catalogue) => catalogue.deploy('kite', '1.0.0', by),
  'several change at once': async (catalogue, db) => {
    await db.query(`update server_health set status = 'disconnected', discovered_at = now()`);
    await catalogue.reloadEverywhere(['zebra', 'anvil']);
    await catalogue.reloadEverywhere(['kite', 'nothing']);
  },
  'a server is taken out': (catalogue) => catalogue.undeploy('anvil', by),
  'one is deleted': (catalogue) => catalogue.deleteManifest('kite', by),
  'the first comes back': (catalogue) => catalogue.deploy('kite', '2.0.0', by),
  'all are read again': (catalogue) => catalogue.reloadEverywhere(),
};

describeOnEmbedded('a snapshot that is updated', migrations, (open) => {
  test('equals, after each change, a catalogue that reads everything', async () => {
    const db = await open();
    const catalogue = await createCatalogue({ db, clock: systemClock, log });
    const indexOf = createServerIndex(() => noUse);
    const names = new Set<string>();
    for (const [name, change] of Object.entries(changes)) {
      await change(catalogue, db);
      const whole = await createCatalogue({ db, clock: systemClock, log });
      for (const key of [...namesIn(catalogue.snapshot()), ...namesIn(whole.snapshot())]) names.add(key);
      expect(contentOf(catalogue.snapshot(), names, indexOf), name).toEqual(contentOf(whole.snapshot(), names));
      await whole.stop();
    }
    expect([...names], 'the compared content').toContain('souk://zebra/data://list');
    await catalogue.stop();
  });

  test('shares the unchanged servers with the previous snapshot, and leaves that one as it was', async () => {
    const catalogue = await createCatalogue({ db: await open(), clock: systemClock, log });
    for (const id of ['one', 'two', 'three']) {
      await catalogue.deployManifest(manifest(id), by);
      await catalogue.storeDiscovery(id, offering());
    }
    const indexOf = createServerIndex(() => noUse);
    const before = catalogue.snapshot();
    const orderedBefore = indexOf(before).inOrder('price');
    await catalogue.storeDiscovery('two', offering({ tools: [tool('new')] }));
    await catalogue.setHealth('two', { status: 'error', detail: 'It does not answer', era: undefined });
    const now = catalogue.snapshot();
    for (const id of ['one', 'three']) {
      expect(now.byId.get(id), id).toBe(before.byId.get(id));
      const indexed = orderedBefore.find(({ server }) => server.id === id);
      expect(
        indexOf(now)
          .inOrder('price')
          .find(({ server }) => server.id === id),
      ).toBe(indexed);
    }
    expect(now.byId.get('two')).toMatchObject({ status: 'error', toolsUnderReview: [{ name: 'new' }] });
    expect(before.byId.get('two')).toMatchObject({ status: 'connected', toolsUnderReview: [] });
    expect(before.toolsByExposedName.has('two__one')).toBe(true);
    expect(before.toolsByExposedName.has('two__new')).toBe(false);
    expect(now.toolsByExposedName.has('two__one')).toBe(false);
    expect(now.toolsByExposedName.get('two__new')?.underReview).toBe(true);
    await catalogue.stop();
  });
});
