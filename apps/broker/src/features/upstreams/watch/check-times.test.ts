import { expect, test } from 'vitest';
import type { CatalogueServer } from '#features/catalogue/index.ts';
import { createManualTime } from '../testing/manual-time.ts';
import { testServer } from '../testing/test-server.ts';
import { createCheckTimes } from './check-times.ts';

const intervalMs = 5_000;

/** Counts the checks of each server within ten minutes, as the watch makes them. */
function checksOf({ used, unused }: { used: number; unused: number }) {
  const { clock, pass } = createManualTime();
  const servers: CatalogueServer[] = Array.from({ length: used + unused }, (_, index) =>
    testServer({ id: `${index < used ? 'used' : 'unused'}-${index}` }),
  );
  const times = createCheckTimes({ intervalMs, isUsed: (id) => id.startsWith('used'), clock });
  // a start queries them in turns
  for (const [index, { id }] of servers.entries()) {
    times.asked(id);
    if (index % 60 === 0) pass(1_000);
  }
  const counts = new Map<string, number>();
  for (let look = 0; look < 4 * 600; look++) {
    pass(250);
    for (const { id } of times.due(servers)) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  const least = (kind: string) =>
    Math.min(...servers.flatMap(({ id }) => (id.startsWith(kind) ? (counts.get(id) ?? 0) : [])));
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return { used: least('used'), unused: least('unused'), perSecond: all / 600 };
}

test('of few servers each is checked once per interval, also unused ones', () => {
  expect(checksOf({ used: 20, unused: 230 })).toMatchObject({ used: 120, unused: 120 });
});

test('of thousands of servers those unused for a day share the rate of a few', () => {
  const { used, unused, perSecond } = checksOf({ used: 100, unused: 4_900 });
  expect(used).toBe(120);
  expect(unused).toBeGreaterThanOrEqual(6);
  expect(perSecond).toBeLessThan(20 + 55);
});

test('an outage of a used server is found within 15 s, however many servers there are', () => {
  const { used } = checksOf({ used: 3_000, unused: 0 });
  // every 10 s, and a check takes at most 4 s
  expect(used).toBe(60);
});

test('after the whole process was suspended, the due checks run in turns', () => {
  const { clock, pass } = createManualTime();
  const servers = Array.from({ length: 250 }, (_, index) => testServer({ id: `server-${index}` }));
  const times = createCheckTimes({ intervalMs, isUsed: () => false, clock });
  for (const { id } of servers) times.asked(id);
  pass(3_600_000);
  const counts = [1, 2, 3, 4].map(() => times.due(servers).length);
  expect(counts).toEqual([100, 100, 50, 0]);
});
