import { expect, test } from 'vitest';
import type { CatalogueServer } from '#features/catalogue/index.ts';
import { testServer } from '../testing/test-server.ts';
import { makeRoom } from './connection-limits.ts';
import type { OpenConnection } from './open-connection.ts';

const web = testServer({ id: 'web' });

/** Builds this many idle connections of other users each, or of `userId`; the first was idle longest. */
function idle(count: number, server: CatalogueServer, userId?: string): OpenConnection[] {
  return Array.from({ length: count }, (_, index) => ({
    key: `${server.id}/${index}`,
    server,
    userId: userId ?? `person-${index}`,
    declared: 0,
    opening: new Promise<never>(() => {}),
    upstream: undefined,
    lasting: 0,
    isReplaced: false,
    inFlight: 0,
    openedAtMs: index,
    usedAtMs: index,
    isRetired: false,
  }));
}
const others = Array.from({ length: 256 }, (_, index) => testServer({ id: `other-${index}` }));
const overall = (count: number) => Array.from({ length: count }, (_, at) => idle(1, others[at % 256] ?? web)).flat();

test.each([
  ['of one user at one server', 8, (count: number) => idle(count, web, 'ann')],
  ['at one server', 256, (count: number) => idle(count, web)],
  ['of all', 2048, overall],
])('of the connections %s, %i may be open', (_whose, most, connections) => {
  const wanted = { server: web, userId: 'ann' };
  const limits = { all: 2048 };
  expect(makeRoom(connections(most - 1), wanted, limits)).toEqual([]);
  const full = connections(most);
  expect(makeRoom(full, wanted, limits)).toEqual([full[0]]);
  const busy = full.map((entry) => ({ ...entry, inFlight: 1 }));
  expect(() => makeRoom(busy, wanted, limits)).toThrow('every connection to web is in use');
});
