import { pino } from 'pino';
import { expect, test } from 'vitest';
import { describeOnDatabases, openTestDatabase } from '#testing/databases/databases.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { isInBackground } from '../db/background-work.ts';
import type { Database } from '../db/database.ts';
import { createJobs, type Jobs } from './create-jobs.ts';

const log = pino({ level: 'silent' });

type Running = AsyncDisposable & { jobs: Jobs };

async function started(db: Database, prepare: (jobs: Jobs) => Promise<void>): Promise<Running> {
  const jobs = createJobs({ db, log });
  await prepare(jobs);
  await jobs.start();
  return { jobs, [Symbol.asyncDispose]: () => jobs.stop() };
}

const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

describeOnDatabases('background jobs', [], (open) => {
  test('a schedule runs at the start, on one of two processes, in the background, and its next run is queued', async () => {
    const db = await open();
    let runs = 0;
    const count = (jobs: Jobs) => jobs.schedule('tidy', 3600, async () => isInBackground() && (runs += 1));
    const first = await started(db, count);
    await waitUntil('one run', () => runs === 1);
    const second = await started(db, count);
    await Promise.all([first.jobs.stop(), second.jobs.stop()]);
    const { rows } = await db.query(
      `select count(*)::int as waiting, bool_and(start_after > now() + interval '50 minutes') as later
         from pgboss.job where name = 'tidy' and state = 'created'`,
    );
    expect({ runs, rows }).toEqual({ runs: 1, rows: [{ waiting: 1, later: true }] });
  });

  test('a failed run of a schedule does not end it', async () => {
    const db = await open();
    let runs = 0;
    const { jobs } = await started(db, (jobs) =>
      jobs.schedule('tidy', 3600, async () => {
        runs += 1;
        throw new Error('disk full');
      }),
    );
    await waitUntil('one run', () => runs === 1);
    const waiting = async () => {
      const { rows } = await db.query("select 1 from pgboss.job where name = 'tidy' and state = 'created'");
      return rows.length === 1;
    };
    await waitUntil('the next waits', waiting);
    await jobs.stop();
    expect(runs).toBe(1);
  });

  test('stop waits for the running job', async () => {
    const db = await open();
    const release = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    let finished = false;
    const jobs = createJobs({ db, log });
    await jobs.schedule('slow', 3600, async () => {
      begun.resolve();
      await release.promise;
      finished = true;
    });
    await jobs.start();
    await begun.promise;
    const stopped = jobs.stop();
    release.resolve();
    await stopped;
    expect(finished).toBe(true);
  });

  test('four processes that start concurrently create the schema once', async () => {
    const db = await open();
    const all = Array.from({ length: 4 }, () => createJobs({ db, log }));
    await Promise.all(all.map((jobs) => jobs.start()));
    await Promise.all(all.map((jobs) => jobs.stop()));
    expect((await db.query('select count(*)::int as n from pgboss.version')).rows).toEqual([{ n: 1 }]);
  });
});

test('background jobs leave no timer behind when they stop', async () => {
  const db = await openTestDatabase([]);
  const before = timers();
  const { jobs } = await started(db, (fresh) => fresh.schedule('tidy', 60, async () => {}));
  expect(timers()).toBeGreaterThan(before);
  await jobs.stop();
  await waitUntil('its timers to be removed', () => timers() <= before);
  await db.close();
});
