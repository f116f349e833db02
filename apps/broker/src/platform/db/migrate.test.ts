import { Client } from 'pg';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { createPostgresDatabase, describeOnDatabases, hasPostgres } from '#testing/databases/databases.ts';
import { waitUntil } from '#testing/wait-until.ts';
import type { Migration } from './database.ts';
import { DatabaseNewerError } from './database-errors.ts';
import { migrate } from './migrate.ts';
import { openDatabase } from './open-database.ts';
import { versionMigrations } from './product-versions.ts';

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

  test('of one feature may be added later than those of another feature that sort after them', async () => {
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

  test('that this version does not know are refused with both versions, and nothing is changed', async () => {
    const db = await open();
    const newer = [...versionMigrations, people, pets];
    await migrate(db, newer, '1.1.0');
    const other: Migration = { name: 'a-0001', statements: ['create table a (n int)'] };
    const older = migrate(db, [...versionMigrations, people, other], '1.0.0');
    await expect(older).rejects.toBeInstanceOf(DatabaseNewerError);
    await expect(older).rejects.toThrow(
      'the database was changed by version 1.1.0 (its migration pets-0001), and this is version 1.0.0, which does not know that change.',
    );
    await expect(db.query('select * from a')).rejects.toThrow('does not exist');
    // the version that applied a change stays recorded when later ones start
    await migrate(db, [...newer, other], '1.2.0');
    expect((await db.query('select name, version from migration_versions order by name')).rows).toEqual([
      { name: versionMigrations[0]?.name, version: '1.1.0' },
      { name: 'a-0001', version: '1.2.0' },
      { name: 'people-0001', version: '1.1.0' },
      { name: 'pets-0001', version: '1.1.0' },
    ]);
    await expect(migrate(db, newer, '1.1.0')).rejects.toThrow('by version 1.2.0 (its migration a-0001)');
  });

  test.each([undefined, '1.0.0'])(
    'of a state that was never released (recorded version: %s) are refused as well',
    async (noted) => {
      const db = await open();
      await migrate(db, [...versionMigrations, people, pets], noted);
      await expect(migrate(db, [...versionMigrations, people], '1.0.0')).rejects.toThrow(
        'the database was created by a development state of Souk (its migration pets-0001), which version 1.0.0 cannot read. ' +
          'Start with an empty database, or go back to that state.',
      );
    },
  );

  test('of the same name are refused', async () => {
    const db = await open();
    await expect(migrate(db, [people, people])).rejects.toThrow('two migrations are named people-0001');
  });
});

describe.skipIf(!hasPostgres())('migrations on a shared PostgreSQL', () => {
  test('four concurrent starts: one applies them, all continue', async () => {
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

  test('a start that waited while a newer version changed the database says so', async () => {
    const databaseUrl = await createPostgresDatabase();
    const log = pino({ level: 'silent' });
    const [newer, older] = await Promise.all([1, 2].map(() => openDatabase({ databaseUrl, dataDir: '', log })));
    if (!newer || !older) throw new Error('two connections were expected');
    // the lock is taken, and nothing has been created yet
    const blocked: Migration = { name: 'p-0001', statements: ['select pg_advisory_lock(1)', 'create table p (n int)'] };
    const holder = new Client({ connectionString: databaseUrl });
    await holder.connect();
    await holder.query('select pg_advisory_lock(1)');
    const first = migrate(newer, [...versionMigrations, people, blocked, pets], '1.1.0');
    const waiting = async () => (await holder.query(`select from pg_locks where not granted`)).rowCount ?? 0;
    await waitUntil('the newer version to be at work', async () => (await waiting()) === 1);
    const second = migrate(older, [...versionMigrations, people, blocked], '1.0.0').catch((error: unknown) => error);
    await waitUntil('the older one to wait for it', async () => (await waiting()) === 2);
    await holder.end();
    await first;
    expect(await second).toBeInstanceOf(DatabaseNewerError);
    await Promise.all([newer.close(), older.close()]);
  });
});
