import { afterEach, expect, test, vi } from 'vitest';
import { pino } from 'pino';
import { createCatalogue, type Catalogue } from '#features/catalogue/index.ts';
import { systemClock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import { describeOnDatabases, describeOnEmbedded } from '#testing/databases/databases.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { migrations } from '../../../migrations.ts';
import { createHealthDays } from './health-days.ts';
import { recordHealth, type HealthRecord } from './record-health.ts';

const log = pino({ level: 'silent' });

afterEach(() => {
  vi.useRealTimers();
});

function record({ query }: Pick<Database, 'query'>, catalogue: Catalogue, intervalMs: number): HealthRecord {
  return recordHealth({ catalogue, failureOf: () => undefined, query, intervalMs, clock: systemClock, log });
}

async function deploy(catalogue: Catalogue, id: string): Promise<void> {
  const manifest = {
    id,
    name: id,
    version: '1.0.0',
    description: 'd',
    category: 'data',
    serviceType: 'mcp',
    connection: { type: 'http', url: `https://${id}.example/mcp` },
    isolation: 'shared',
  } as unknown as Parameters<typeof catalogue.stage>[0];
  await catalogue.stage(manifest, { origin: 'admin' });
  await catalogue.deploy(id, '1.0.0');
}

/** Creates a replica whose clock can be set. */
function replica(db: Pick<Database, 'query'>) {
  const time = { nowMs: Date.parse('2026-03-01T23:59:59.999Z') };
  const days = createHealthDays({ query: db.query, clock: { now: () => time.nowMs }, log });
  const count = (serverId: string, ...checks: boolean[]) => days.count(checks.map((isUp) => ({ serverId, isUp })));
  return { ...days, time, check: count };
}

describeOnDatabases('daily health of servers', migrations, (open) => {
  test('replicas add up the checks of a day, which begins at midnight UTC', async () => {
    const db = await open();
    const [one, other] = [replica(db), replica(db)];
    one.check('notes', true, true, false);
    one.check('travel', false);
    other.check('notes', true);
    one.time.nowMs += 1;
    one.check('notes', false);
    await Promise.all([one.flush(), other.flush()]);
    one.check('notes', true);
    await one.flush();
    expect(await one.read('notes')).toEqual([
      { day: '2026-03-01', up: 3, down: 1 },
      { day: '2026-03-02', up: 1, down: 1 },
    ]);
    expect(await other.read('travel')).toEqual([{ day: '2026-03-01', up: 0, down: 1 }]);
    expect(await other.read('unknown')).toEqual([]);
  });

  test('thirty days are read, ninety are kept', async () => {
    const db = await open();
    const days = replica(db);
    const first = days.time.nowMs;
    for (let day = 0; day < 95; day++) {
      days.time.nowMs = first + day * 86_400_000;
      days.check('notes', true);
    }
    await days.flush();
    const read = await days.read('notes');
    expect(read).toHaveLength(30);
    expect(read.at(-1)).toEqual({ day: '2026-06-03', up: 1, down: 0 });
    expect(await days.read('notes', 1000)).toHaveLength(90);
  });
});

describeOnEmbedded('daily health of servers, as one broker counts it', migrations, (open) => {
  test('counts that could not be written are written later', async () => {
    const db = await open();
    let isAway = true;
    const query: Database['query'] = (text, values) =>
      isAway ? Promise.reject(new Error('away')) : db.query(text, values);
    const days = replica({ query });
    days.check('notes', true);
    await days.flush();
    days.check('notes', true, false);
    isAway = false;
    await days.flush();
    expect(await days.read('notes')).toEqual([{ day: '2026-03-01', up: 2, down: 1 }]);
  });

  test('written counts count once, also if old days cannot be deleted', async () => {
    const db = await open();
    let isFailing = true;
    const query: Database['query'] = (text, values) =>
      isFailing && text.includes('delete') ? Promise.reject(new Error('away')) : db.query(text, values);
    const days = replica({ query });
    days.check('notes', true);
    await days.flush();
    isFailing = false;
    await days.flush();
    expect(await days.read('notes')).toEqual([{ day: '2026-03-01', up: 1, down: 0 }]);
  });

  test('each interval counts the known state of each deployed server, and a stop writes it', async () => {
    const db = await open();
    const catalogue = await createCatalogue({ db, clock: systemClock, log });
    for (const id of ['up', 'down', 'never-asked']) await deploy(catalogue, id);
    await catalogue.setHealth('up', { status: 'connected', detail: undefined, era: undefined });
    await catalogue.setHealth('down', { status: 'error', detail: 'It does not answer', era: undefined });
    const health = record(db, catalogue, 1);
    let looks = 0;
    const timer = setInterval(() => looks++, 1);
    await waitUntil('a few intervals', () => looks > 5);
    clearInterval(timer);
    await health.stop();
    const [up] = await health.read('up');
    const [down] = await health.read('down');
    expect(up?.up).toBeGreaterThan(0);
    expect(up?.down).toBe(0);
    expect(down?.down).toBeGreaterThan(0);
    expect(down?.up).toBe(0);
    expect(await health.read('never-asked')).toEqual([]);
    await catalogue.stop();
  });

  test('an outage that begins and ends between two counts is counted', async () => {
    const db = await open();
    const catalogue = await createCatalogue({ db, clock: systemClock, log });
    await deploy(catalogue, 'short');
    const up = { status: 'connected', detail: undefined, era: undefined } as const;
    await catalogue.setHealth('short', up);
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const health = record(db, catalogue, 1000);
    await catalogue.setHealth('short', { status: 'error', detail: 'It does not answer', era: undefined });
    await catalogue.setHealth('short', up);
    vi.advanceTimersByTime(3000);
    await health.stop();
    const [day] = await health.read('short');
    expect(day).toMatchObject({ up: 2, down: 1 });
    await catalogue.stop();
  });
});
