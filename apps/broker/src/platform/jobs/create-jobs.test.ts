import { pino } from 'pino';
import { expect, test } from 'vitest';
import { describeOnDatabases, openTestDatabase } from '#testing/databases.ts';
import { elapsed } from '#testing/elapsed.ts';
import { limitFigure } from '#testing/limits.ts';
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
  /** Waits for jobs that run sooner than the next poll, after 5 s. */
  async function soon(what: string, isDone: () => boolean): Promise<void> {
    const { ms } = await elapsed(() => waitUntil(what, isDone));
    await limitFigure(4000, 'ms', () => ms);
  }

  test('a queued job runs immediately and once, with its data, in the background', async () => {
    const done: unknown[] = [];
    await using running = await started(await open(), (jobs) =>
      jobs.work('mail', async (data) => isInBackground() && done.push(data)),
    );
    await running.jobs.enqueue('mail', { to: 'a' });
    await running.jobs.enqueue('mail', { to: 'b' });
    await soon('both ran', () => done.length === 2);
    expect(done).toEqual([{ to: 'a' }, { to: 'b' }]);
  });

  test('jobs that are queued at once all run at once, without waiting for the next poll', async () => {
    const done: unknown[] = [];
    await using running = await started(await open(), (jobs) => jobs.work('mail', async (data) => done.push(data)));
    const all = Array.from({ length: 5 }, (_, to) => ({ to }));
    await Promise.all(all.map((mail) => running.jobs.enqueue('mail', mail)));
    await soon('all ran', () => done.length === all.length);
    expect(new Set(done)).toEqual(new Set(all));
  });

  test('of several jobs with the same key only one waits', async () => {
    const db = await open();
    await using running = await started(db, (jobs) => jobs.work('sync', async () => {}));
    const later = { singletonKey: 'user-1', startAfterSeconds: 60 };
    await running.jobs.enqueue('sync', {}, later);
    await running.jobs.enqueue('sync', {}, later);
    await running.jobs.enqueue('sync', {}, { ...later, singletonKey: 'user-2' });
    const { rows } = await db.query("select count(*) as waiting from pgboss.job where name = 'sync'");
    expect(rows).toEqual([{ waiting: 2 }]);
  });

  test('a job that fails is tried again later', async () => {
    const db = await open();
    let runs = 0;
    await using running = await started(db, (jobs) =>
      jobs.work('flaky', async () => {
        runs += 1;
        throw new Error('not today');
      }),
    );
    await running.jobs.enqueue('flaky', {});
    await waitUntil('one run', () => runs === 1);
    await waitUntil('kept for another', async () => {
      const { rows } = await db.query<{ state: string }>("select state::text from pgboss.job where name = 'flaky'");
      return rows[0]?.state === 'retry';
    });
    expect(runs).toBe(1);
  });

  test('a schedule runs at the start, on one of two processes, and its next run is queued', async () => {
    const db = await open();
    let runs = 0;
    const count = (jobs: Jobs) => jobs.schedule('tidy', 3600, async () => (runs += 1));
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

  test('stop waits for the job under way', async () => {
    const db = await open();
    const release = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    let finished = false;
    const jobs = createJobs({ db, log });
    await jobs.work('slow', async () => {
      begun.resolve();
      await release.promise;
      finished = true;
    });
    await jobs.start();
    await jobs.enqueue('slow', {});
    await begun.promise;
    const stopped = jobs.stop();
    release.resolve();
    await stopped;
    expect(finished).toBe(true);
  });

  test('four processes that start at once make the schema once', async () => {
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
  const { jobs } = await started(db, async (fresh) => {
    await fresh.schedule('tidy', 60, async () => {});
    await fresh.work('mail', async () => {});
  });
  expect(timers()).toBeGreaterThan(before);
  await jobs.stop();
  await waitUntil('its timers to be gone', () => timers() <= before);
  await db.close();
});
