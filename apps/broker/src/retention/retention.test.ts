import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { checkLedger } from '#features/billing/index.ts';
import { mergeUsage } from '#features/usage/index.ts';
import { listTables } from '#platform/backup/list-tables.ts';
import { readConfig } from '#platform/config.ts';
import type { Database } from '#platform/db/database.ts';
import { createLog } from '#platform/log.ts';
import { describeOnDatabases } from '#testing/databases/databases.ts';
import { migrations } from '../migrations.ts';
import { keptTables } from './kept-tables.ts';
import { removeOld } from './remove-old.ts';

// the database itself keeps a year, by its own clock
const now = Date.UTC(2024, 5, 15);
const clock = { now: () => now };
const log = createLog('silent');
const { retention } = readConfig({
  CALLS_MONTHS: '2',
  USAGE_MONTHS: '14',
  AUDIT_YEARS: '2',
  VERSIONS_KEPT: '2',
  BOOKS_YEARS: '3',
});

describeOnDatabases('retention', migrations, (open) => {
  let db: Database;
  beforeEach(async () => {
    db = await open();
  });
  const run = () => removeOld({ db, config: { retention }, clock, log });
  const column = async <T>(statement: string) => (await db.query<{ v: T }>(statement)).rows.map(({ v }) => v);

  test('every table of the database has one retention period', async () => {
    const said = keptTables.flatMap(({ tables }) => tables.split(' '));
    const there = (await listTables(db.query)).map(({ name }) => name.replace(/^public\./, ''));
    expect(said.toSorted()).toEqual(there.toSorted());
  });

  test('daily sums, the audit log and former manifests are deleted when they are too old, and no others', async () => {
    const user = randomUUID();
    for (const day of ['2023-03-31', '2023-04-01', '2024-06-14'])
      await db.query(
        `insert into usage_daily (user_id, day, server_id, kind, name, calls, answered, credits, failed, ${latencies()})
         values ($1, $2::date, 's', 'tool', 't', 1, 1, 0, 0, ${latencies('1')})`,
        [user, day],
      );
    // more than a batch
    await db.query(
      `insert into audit_log (at, action, subject) select '2022-05-31', 'test.row', 'old' from generate_series(1, 5001)`,
    );
    await db.query(`insert into audit_log (at, action, subject) values ('2022-06-01', 'test.row', 'young')`);
    await db.query(`insert into servers (id, slug, pinned_version) values ('s', 's', '1.0.0')`);
    for (const [version, status, ended] of [
      ['1.0.0', 'superseded', '2020-01-01'],
      ['1.0.1', 'superseded', '2020-01-02'],
      ['1.0.2', 'superseded', '2020-01-03'],
      ['1.0.3', 'superseded', '2020-01-04'],
      ['1.0.4', 'deployed', null],
    ])
      await db.query(
        `insert into manifest_versions (server_id, version, status, body, sha256, origin, ended_at)
         values ('s', $1, $2, '{}', '', 'admin', $3)`,
        [version, status, ended],
      );
    await run();
    expect(await column(`select day::text as v from usage_daily order by 1`)).toEqual(['2023-04-01', '2024-06-14']);
    expect(await column(`select distinct subject as v from audit_log`)).toEqual(['young']);
    expect(await column(`select version as v from manifest_versions order by 1`)).toEqual([
      '1.0.0', // pinned
      '1.0.2',
      '1.0.3',
      '1.0.4',
    ]);
  });

  test('calls are deleted by whole months', async () => {
    for (const month of ['03', '04', '06'])
      await db.query(
        `create table usage_events_2024_${month} partition of usage_events
         for values from ('2024-${month}-01') to ('2024-${month}-28')`,
      );
    await run();
    const left = await column<string>(
      `select relname as v from pg_class where relname ~ '^usage_events_2024' and relkind = 'r' order by 1`,
    );
    expect(left).toEqual(['usage_events_2024_04', 'usage_events_2024_06']);
  });

  test('the ledger of an account is deleted years after the account, with every row of its id, and other accounts still add up', async () => {
    const [gone, recent, here] = [randomUUID(), randomUUID(), randomUUID()];
    for (const [id, deletedAt] of [
      [gone, '2020-01-01'],
      [recent, '2022-01-01'],
      [here, null],
    ] as const) {
      await db.query(
        `insert into users (id, email, display_name, created_at, deleted_at) values ($1::uuid, $1::text, '', now(), $2::timestamptz)`,
        [id, deletedAt],
      );
      await db.query(`insert into credit_accounts (user_id, livemode, balance, month) values ($1, false, 5, now())`, [
        id,
      ]);
      await db.query(
        `insert into credit_lots (id, user_id, livemode, source, idem, granted, remaining)
         values (gen_random_uuid(), $1::uuid, false, 'purchased', $1::text, 5, 5)`,
        [id],
      );
      await db.query(
        `insert into ledger_entries (user_id, livemode, delta, contra, balance_after, idem)
         values ($1::uuid, false, 5, 'purchased', 5, $1::text)`,
        [id],
      );
      await db.query(
        `insert into transactions (id, user_id, livemode, type, status, description, amount, currency, idem, created_at)
         values (gen_random_uuid(), $1::uuid, false, 'credit_purchase', 'completed', '', 5, 'USD', $1::text, now())`,
        [id],
      );
      await db.query(
        `insert into access_grants (id, user_id, livemode, server_id, kind, source, payment_id, started_at)
         values (gen_random_uuid(), $1::uuid, false, 's', 'purchase', 'payment', $1::text, now())`,
        [id],
      );
      await db.query(`insert into subscription_invoices (invoice_id, payment_id, recorded_at) values ($1, $1, now())`, [
        id,
      ]);
    }
    await expect(db.query('delete from ledger_entries where user_id = $1', [gone])).rejects.toThrow(/append-only/);
    await run();
    for (const table of [
      'users',
      'credit_accounts',
      'credit_lots',
      'ledger_entries',
      'transactions',
      'access_grants',
    ]) {
      const key = table === 'users' ? 'id' : 'user_id';
      const { rows } = await db.query(`select from ${table} where ${key} = $1`, [gone]);
      expect(rows, table).toEqual([]);
      const others = await db.query(`select from ${table} where ${key} in ($1, $2)`, [recent, here]);
      expect(others.rows, table).toHaveLength(2);
    }
    expect((await column(`select payment_id as v from subscription_invoices`)).toSorted()).toEqual(
      [recent, here].toSorted(),
    );
    expect(await checkLedger(db)).toEqual([]);
  });

  test('usage of a deleted account is deleted by the job, except its last hour, and sums over all users stay', async () => {
    const [gone, here] = [randomUUID(), randomUUID()];
    const minutesAgo = (minutes: number) => new Date(now - minutes * 60_000);
    for (const [id, deletedAt] of [
      [gone, minutesAgo(61)],
      [here, null],
    ] as const) {
      await db.query(
        `insert into users (id, email, display_name, created_at, deleted_at) values ($1::uuid, $1::text, '', now(), $2)`,
        [id, deletedAt],
      );
      for (const at of [minutesAgo(59), minutesAgo(61)])
        await db.query(
          `insert into usage_events (call_id, user_id, server_id, kind, name, outcome, credits, duration_ms, client_id, token_id, created_at)
           values (gen_random_uuid(), $1, 's', 'tool', 't', 'ok', 0, 5, 'c', 't', $2)`,
          [id, at],
        );
    }
    await mergeUsage(db);
    const sums = 'select sum(calls)::int as v from usage_server_days where server_id = $$s$$';
    expect(await column(sums)).toEqual([4]);
    await run();
    const byPerson = (table: string) =>
      column(`select distinct user_id::text as v from ${table} where user_id in ('${gone}', '${here}')`);
    expect(await column(`select user_id::text as v from usage_events where user_id = '${gone}'`)).toEqual([gone]);
    expect(await byPerson('usage_daily')).toEqual([here]);
    expect(await byPerson('usage_people')).toEqual([here]);
    expect(await column(`select user_id::text as v from usage_events where user_id = '${here}'`)).toEqual([here, here]);
    expect(await column(sums)).toEqual([4]);
  });

  test('the database refuses to delete the ledger of an existing account, and an entry of the audit log of this year', async () => {
    const id = randomUUID();
    await db.query(`insert into users (id, email, display_name, created_at) values ($1::uuid, $1::text, '', now())`, [
      id,
    ]);
    await db.query(
      `insert into ledger_entries (user_id, livemode, delta, contra, balance_after, idem)
       values ($1::uuid, false, 5, 'purchased', 5, $1::text)`,
      [id],
    );
    await db.query(`insert into audit_log (at, action, subject) values (now(), 'test.row', 'today')`);
    for (const statement of [
      `with s as (select set_config('souk.closed_books', '${id}', true)) delete from ledger_entries using s where user_id = '${id}'`,
      `with s as (select set_config('souk.audit_since', '2100-01-01', true)) delete from audit_log using s where subject = 'today'`,
      'truncate ledger_entries',
      'truncate audit_log',
    ])
      await expect(db.query(statement), statement).rejects.toThrow(/append-only/);
  });
});

/** Returns the columns of durations, or a value for each. */
function latencies(value?: string): string {
  const names = ['5', '10', '25', '50', '100', '250', '500', '1000', '2500', '5000', '15000', 'more'];
  return names.map((name) => value ?? `ms_${name}`).join(', ');
}
