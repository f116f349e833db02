import { PgBoss } from 'pg-boss';
import { inBackground } from '../db/background-work.ts';
import type { Database } from '../db/database.ts';
import type { Log } from '../log.ts';
import { bossBackend } from './boss-backend.ts';

/**
 * Background work that survives a restart and runs once, even if several processes share the database (docs/decisions/0003).
 * Money must not depend on a job having run: expiry is decided at the moment of use, and jobs only clean up.
 */
export type Jobs = {
  /**
   * Runs `run` soon after the start and then every `everySeconds` (at least 10), in one of all processes. A failed run is
   * logged; the next run is its retry.
   */
  schedule(name: string, everySeconds: number, run: () => Promise<unknown>): Promise<void>;
  start(): Promise<void>;
  list(): Promise<readonly ScheduledJob[]>;
  /** Waits for running jobs. Nothing runs afterwards, and no timer is left. */
  stop(): Promise<void>;
};

export type ScheduledJob = {
  name: string;
  everySeconds: number;
  /** When it last began. */
  lastRunAt: Date | undefined;
  nextRunAt: Date | undefined;
  isRunning: boolean;
  /** The latest failure of the last week. */
  lastFailure: { at: Date; message: string } | undefined;
};

type Schedule = { name: string; everySeconds: number; run(): Promise<unknown> };

/** Time after which another process takes a job over, assuming that its process was killed. */
const expireSeconds = 15 * 60;
/** Polling interval for jobs of other processes. A process takes its own jobs immediately. */
const pollSeconds = 5;
const stopTimeoutMs = 20_000;
const scheduleKey = 'next';

export function createJobs({ db, log }: { db: Database; log: Log }): Jobs {
  const boss = new PgBoss({
    db: bossBackend(db),
    backend: db.engine === 'pglite' ? 'pglite' : 'postgres',
    schedule: false, // its cron polls the database all the time and knows only minutes; ours below does not poll
    flowIntervalSeconds: 3600, // we have no jobs that depend on jobs
    monitorVacuum: false,
  });
  boss.on('error', (error) => log.error({ err: error }, 'background jobs: the database refused'));
  const schedules = new Map<string, Schedule>();
  let existing = new Set<string>();
  let state: 'new' | 'running' | 'stopped' = 'new';

  const queueNext = (name: string, startAfter: number) =>
    boss.send(name, {}, { singletonKey: scheduleKey, startAfter });

  async function open({ name, everySeconds, run }: Schedule): Promise<void> {
    // skips the five statements for an existing queue, which they would not change
    if (!existing.has(name))
      await boss.createQueue(name, {
        policy: 'stately', // one waiting, one running, in all processes
        retryLimit: 0,
        expireInSeconds: expireSeconds,
      });
    // the first run, which the worker's first poll finds; ignored if an earlier process has left one waiting
    await queueNext(name, 0);
    const pollingIntervalSeconds = Math.min(60, Math.max(pollSeconds, everySeconds / 4));
    const runOnce = async () => {
      await queueNext(name, everySeconds); // queued first: a kill during the run must not end the schedule
      await run();
    };
    await boss.work(name, { pollingIntervalSeconds }, () => runLogged(name, runOnce, log));
  }

  return {
    async schedule(name, everySeconds, run) {
      if (everySeconds < 10) throw new Error(`schedule ${name}: every ${everySeconds} s is too often for a job`);
      if (schedules.has(name)) throw new Error(`two jobs are named ${name}`);
      const schedule = { name, everySeconds, run };
      schedules.set(name, schedule);
      if (state === 'running') await open(schedule);
    },
    async start() {
      await boss.start();
      existing = new Set((await boss.getQueues()).map(({ name }) => name));
      state = 'running';
      for (const schedule of schedules.values()) await open(schedule);
    },
    list: () => listScheduled(db, [...schedules.values()]),
    async stop() {
      if (state !== 'running') return;
      state = 'stopped';
      // pg-boss polls every half second whether its workers have ended, but answers immediately for each by name
      const ended = Promise.all([...schedules.keys()].map((name) => boss.offWork(name)));
      await withinTime(ended, stopTimeoutMs);
      await boss.stop({ graceful: true, timeout: stopTimeoutMs });
    },
  };
}

/** Reads pg-boss's own table, which keeps ended jobs for a week. */
async function listScheduled(db: Database, scheduled: readonly Schedule[]): Promise<ScheduledJob[]> {
  const { rows } = await db.query<{
    name: string;
    last: Date | null;
    next: Date | null;
    running: boolean | null;
    failed: Date | null;
    output: unknown;
  }>(
    `select name, max(started_on) as last, min(start_after) filter (where state in ('created', 'retry')) as next,
       bool_or(state = 'active') as running, max(completed_on) filter (where state = 'failed') as failed,
       (array_agg(output order by completed_on desc) filter (where state = 'failed'))[1] as output
     from pgboss.job where name = any($1) group by name`,
    [scheduled.map(({ name }) => name)],
  );
  const found = new Map(rows.map((row) => [row.name, row]));
  return scheduled.map(({ name, everySeconds }) => {
    const row = found.get(name);
    return {
      name,
      everySeconds,
      lastRunAt: row?.last ?? undefined,
      nextRunAt: row?.next ?? undefined,
      isRunning: row?.running ?? false,
      lastFailure: row?.failed ? { at: row.failed, message: messageOf(row.output) } : undefined,
    };
  });
}

/** Returns the first line, since the others are the stack. */
function messageOf(output: unknown): string {
  const message: unknown = Object(output).message;
  return (typeof message === 'string' ? message.split('\n', 1)[0] : undefined) ?? 'no message';
}

async function withinTime(work: Promise<unknown>, timeoutMs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, timeoutMs);
  await Promise.race([work, promise]).finally(() => clearTimeout(timer));
}

async function runLogged(name: string, run: () => Promise<void>, log: Log): Promise<void> {
  try {
    await inBackground(run);
  } catch (error) {
    log.error({ err: error, job: name }, 'a background job failed');
    throw error;
  }
}
