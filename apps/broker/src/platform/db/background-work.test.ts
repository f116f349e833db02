import { expect, test } from 'vitest';
import { describeOnDatabases } from '#testing/databases/databases.ts';
import { inBackground, inForeground } from './background-work.ts';

const slow = 'select pg_sleep(0.05)';

describeOnDatabases('background work', [], (open) => {
  /** Returns what ended, in order, after starting as much background work as could use all connections. */
  async function endsBeside(person: (db: Awaited<ReturnType<typeof open>>) => Promise<unknown>, background = slow) {
    const db = await open();
    const ended: string[] = [];
    const jobs = Array.from({ length: 12 }, () =>
      inBackground(async () => {
        await db.query(background);
        ended.push('background');
      }),
    );
    await person(db).then(() => ended.push('person'));
    await Promise.all(jobs);
    return ended;
  }

  // on PostgreSQL 2 of 10 connections are for the background; the embedded database has one, which the first background
  // statement gets first
  test.each([
    ['a statement', (db) => db.query('select 1')],
    ['a transaction', (db) => db.transaction((query) => query('select 1'))],
    ['the query builder', (db) => db.kysely.connection().execute(async () => {})],
    ['what a job does for a user', (db) => inBackground(() => inForeground(() => db.query('select 1')))],
  ] satisfies [string, Parameters<typeof endsBeside>[0]][])(
    '%s of a user does not wait for the background queue',
    async (_, person) => {
      expect((await endsBeside(person)).slice(0, 4)).toContain('person');
    },
  );

  test('twelve background statements use a quarter of the connections, and all of them end', async () => {
    const db = await open();
    if (db.engine === 'pglite') return; // which has one connection
    const active = `select count(*)::int as count from pg_stat_activity where query = '${slow}' and state = 'active'`;
    const left = new Set(Array.from({ length: 12 }, () => inBackground(() => db.query(slow))));
    for (const job of left) void job.then(() => left.delete(job));
    let most = 0;
    while (left.size > 0) most = Math.max(most, (await db.query<{ count: number }>(active)).rows[0]?.count ?? 0);
    expect(most).toBe(2);
  });

  test('background transactions take turns too, and a failed one ends its turn', async () => {
    const db = await open();
    const job = () => inBackground(() => db.transaction((query) => query('select no_such_column')));
    const failed = Promise.allSettled([job(), job(), job()]);
    expect((await db.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    expect((await failed).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(await inBackground(() => db.transaction((query) => query('select 2 as two')))).toMatchObject({
      rows: [{ two: 2 }],
    });
  });
});
