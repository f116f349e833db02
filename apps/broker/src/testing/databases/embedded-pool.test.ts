import { expect, test } from 'vitest';
import type { Database } from '#platform/db/database.ts';
import { migrations } from '../../migrations.ts';
import { openTestDatabase } from './databases.ts';

/** Returns the number of rows of each table, and the next number of each sequence. */
async function contents(db: Database): Promise<unknown> {
  const { rows: tables } = await db.query(
    "select schemaname || '.' || tablename as name from pg_tables where schemaname !~ '^(pg_|information)' order by 1",
  );
  const counts: Record<string, unknown> = {};
  for (const { name } of tables) counts[String(name)] = (await db.query(`select count(*)::int as n from ${name}`)).rows;
  const { rows: sequences } = await db.query('select sequencename, last_value from pg_sequences order by 1');
  return { counts, sequences };
}

/** Distinguishes the databases of the pool. */
const processOf = async (db: Database) => (await db.query('select pg_postmaster_start_time()::text as t')).rows;

test('what a test leaves in a database of the pool is removed before the next test', async () => {
  const first = await openTestDatabase(migrations);
  const [before, process] = [await contents(first), await processOf(first)];
  await first.query(
    "insert into users (id, email, display_name, created_at) values (gen_random_uuid(), 'left@souk.test', 'Left', now())",
  );
  await first.query(
    "insert into identities (provider, subject, user_id, created_at) select 'dev', 'left', id, now() from users",
  );
  // more than is deleted row by row
  await first.query(
    "insert into audit_log (at, action, subject) select now(), 'left', repeat('x', 100) from generate_series(1, 5000)",
  );
  // in a table with partitions
  await first.query(
    `insert into usage_events (call_id, user_id, kind, name, outcome, credits, duration_ms, client_id, token_id, created_at)
      select gen_random_uuid(), gen_random_uuid(), 'tool', 'left', 'ok', 0, 1, 'client', 'token', now() from users`,
  );
  await first.query('create table left_over (id bigserial primary key)');
  await first.query('insert into left_over default values');
  await first.query('create schema left_over');
  await first.close();

  const second = await openTestDatabase(migrations);
  expect(await processOf(second), 'the same database again').toEqual(process);
  expect(await contents(second)).toEqual(before);
  await second.close();
});

test('a database whose tables a test changes does not return to the pool', async () => {
  const first = await openTestDatabase(migrations);
  const process = await processOf(first);
  await first.query('alter table users add column left_over text');
  await first.close();
  const second = await openTestDatabase(migrations);
  expect(await processOf(second)).not.toEqual(process);
  await second.close();
});
