import { findServers as contract } from '@souk/contract/catalogue/catalogue-search.ts';
import { beforeAll, expect, test } from 'vitest';
import { areLimitsHeld, limitProcessor } from '#testing/figures/limits.ts';
import { findServers } from '../search/find-servers.ts';
import { createServerIndex } from '../search/server-index.ts';
import { changeSnapshot, emptySnapshot, type OwnSnapshot } from './create-snapshot.ts';
import type { CatalogueServer, CatalogueSnapshot } from './snapshot.ts';
import { suggestMatches } from '../search/suggest-matches.ts';
import { createSnapshot, manyServers } from '../testing/many-servers.ts';

/**
 * Time that one query may block the event loop, out of the 100 ms that a search may take until the browser shows it. A
 * query takes a tenth of it.
 */
const promisedMs = 30;
const used = new Map([['travel-desk-1', { people: 2, calls: 9 }]]);
const indexOf = createServerIndex(() => used);
/** Their cost is measured with many; fewer show that they are found. */
const count = areLimitsHeld() ? 5_000 : 1_000;
let snapshot: CatalogueSnapshot;

beforeAll(() => {
  snapshot = manyServers(count);
  indexOf(snapshot).inOrder('price');
});

const texts = [
  'a',
  'e',
  'tr',
  'travel',
  'travel desk',
  `find_travel_${count - 1}`,
  'nothing has this',
  'a e i o u s t r',
];
const find = (query: object) => findServers(indexOf(snapshot), contract.query.parse(query));

test.each(texts)(
  'among thousands of servers with 10 tools each, “%s” is found within 30 ms of processor time',
  async (q) => {
    expect(find({ q, sort: 'price' }).pagination.total).toBe(find({ q }).pagination.total);
    await limitProcessor(promisedMs, () => find({ q, sort: 'price' }), { what: 'the list' });
    await limitProcessor(promisedMs, () => suggestMatches(indexOf(snapshot), q, 6), { what: 'suggestions' });
  },
);

test('the whole list, filtered and in any order, takes no longer', async () => {
  for (const sort of [undefined, 'price', 'tools', 'updated', 'popular', 'featured']) {
    expect(find({ sort }).pagination.total).toBe(count);
    const read = () => find({ sort, status: 'connected', page: 100 });
    await limitProcessor(promisedMs, read, { what: sort ?? 'in no order' });
  }
});

test('a change of one server does not read the texts of the others again', () => {
  const [first, ...others] = snapshot.servers;
  const unread = others.map((server) => ({
    ...server,
    get tools(): never {
      throw new Error('read again');
    },
  }));
  const changed = first ? [{ ...first, offersHash: 'changed', tools: [] }, ...unread] : [];
  const next = { ...createSnapshot(2, snapshot.servers), servers: changed };
  expect(findServers(indexOf(next), contract.query.parse({ q: 'travel' })).pagination.total).toBeGreaterThan(
    count / 20,
  );
});

test('a change of one server, and the list by price after it, read less than a fifteenth of what reading all servers does', async () => {
  const seen = new Set<string>();
  const counted = snapshot.servers.map((server): CatalogueServer => {
    const { tools } = server;
    return {
      ...server,
      get tools() {
        seen.add(server.id);
        return tools;
      },
    };
  });
  const serversRead = (act: () => unknown): number => {
    seen.clear();
    act();
    return seen.size;
  };
  let current: OwnSnapshot = emptySnapshot;
  const listed = (index = indexOf) => findServers(index(current), contract.query.parse({ sort: 'price', page: 100 }));
  const readAll = () => {
    current = changeSnapshot(emptySnapshot, new Set(), counted);
    return listed(createServerIndex(() => used));
  };
  const change = () => {
    const [server] = current.servers.slice(count / 2);
    if (!server) throw new Error('unreachable');
    current = changeSnapshot(current, new Set([server.id]), [{ ...server, status: 'error' }]);
    return listed();
  };
  const ofAll = serversRead(readAll);
  expect(ofAll).toBe(count);
  listed();
  expect(serversRead(change)).toBeLessThan(ofAll / 15);
  await limitProcessor(promisedMs, change);
  expect(current.servers).toHaveLength(count);
});
