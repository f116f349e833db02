import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { createPostgresDatabase, describeOnDatabases, hasPostgres } from '#testing/databases.ts';
import type { Migration } from './database.ts';
import { migrate } from './migrate.ts';
import { openDatabase } from './open-database.ts';

const people: Migration = {
  name: 'people-0001',
  statements: [
    'create table people (id int primary key)',
    'insert into people values (1); insert into people values (2)',
  ],
};
const pets: Migration = { name: 'pets-0001', statements: ['create table pets (owner int references people)'] };

describeOnDatabases('migrations', [], (open) => {
  test('are applied once, in the order of their names', async () => {
    const db = await open();
    await migrate(db, [pets, people]);
    await migrate(db, [pets, people]);
    expect((await db.query('select count(*) as n from people')).rows).toEqual([{ n: 2 }]);
  });

  test('of one feature may be added later than those of another feature that sort behind them', async () => {
    const db = await open();
    await migrate(db, [people]);
    const earlier: Migration = { name: 'a-0001', statements: ['create table a (n int)'] };
    await migrate(db, [people, earlier]);
    expect((await db.query('select * from a')).rows).toEqual([]);
  });

  test('are all or nothing, and say which one failed', async () => {
    const db = await open();
    const broken: Migration = { name: 'z-0001', statements: ['create table half (n int)', 'create table nonsense'] };
    await expect(migrate(db, [people, broken])).rejects.toThrow(/z-0001 failed: .*syntax error/);
    await expect(db.query('select * from half')).rejects.toThrow('does not exist');
    await migrate(db, [people]);
    expect((await db.query('select count(*) as n from people')).rows).toEqual([{ n: 2 }]);
  });

  test('of the same name are refused', async () => {
    const db = await open();
    await expect(migrate(db, [people, people])).rejects.toThrow('two migrations are named people-0001');
  });
});

describe.skipIf(!hasPostgres())('migrations on a shared PostgreSQL', () => {
  test('four starts at once: one applies them, all continue', async () => {
    const databaseUrl = await createPostgresDatabase();
    const log = pino({ level: 'silent' });
    // slower than the time limit of ordinary statements: waiting for the lock has none
    const slow: Migration = { name: 'q-0001', statements: ['select pg_sleep(2.2)', 'create table q (n int)'] };
    const all = await Promise.all(Array.from({ length: 4 }, () => openDatabase({ databaseUrl, dataDir: '', log })));
    await Promise.all(all.map((db) => migrate(db, [people, slow])));
    const [first] = all;
    expect((await first?.query('select count(*) as n from people'))?.rows).toEqual([{ n: 2 }]);
    await Promise.all(all.map((db) => db.close()));
  });
});
