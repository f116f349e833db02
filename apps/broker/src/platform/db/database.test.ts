import { expect, test } from 'vitest';
import { describeOnDatabases } from '#testing/databases/databases.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { isUniqueViolation } from './database-errors.ts';
import type { Migration } from './database.ts';

const migrations: Migration[] = [
  {
    name: 'test-0001',
    statements: [
      'create table accounts (id int primary key, balance bigint not null check (balance >= 0))',
      'create table entries (id bigint generated always as identity primary key, account int not null references accounts, idem text not null unique)',
      'create table values_of_all_kinds (n bigint, ns bigint[], d date, at timestamptz, j jsonb, t text[], big numeric)',
    ],
  },
];

describeOnDatabases('a database', migrations, (open) => {
  test('columns come back as numbers, dates as text, instants as Date and JSON parsed', async () => {
    const db = await open();
    const at = new Date('2026-11-21T10:00:00.123Z');
    const values = [
      2 ** 53 - 1,
      [1, 2 ** 40],
      '2026-02-28',
      at,
      JSON.stringify({ a: [1, 'x', null] }),
      ['a', 'b"c'],
      '1.50',
    ];
    await db.query('insert into values_of_all_kinds values ($1, $2, $3, $4, $5, $6, $7)', values);
    const expected = {
      n: 2 ** 53 - 1,
      ns: [1, 2 ** 40],
      d: '2026-02-28',
      at,
      j: { a: [1, 'x', null] },
      t: ['a', 'b"c'],
      big: '1.50',
    };
    expect((await db.query('select * from values_of_all_kinds')).rows).toEqual([expected]);
    const builder = db.kysely.withTables<{ values_of_all_kinds: typeof expected }>();
    expect(await builder.selectFrom('values_of_all_kinds').selectAll().execute()).toEqual([expected]);
  });

  test('a bigint past 2^53 is an error instead of an imprecise number', async () => {
    const db = await open();
    await expect(db.query('select 9007199254740993::bigint as n')).rejects.toThrow('does not fit');
    expect((await db.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });

  test('affectedRows counts the rows that a statement changed, also in its CTEs', async () => {
    const db = await open();
    expect(await db.query('insert into accounts select g, 5 from generate_series(1, 3) g')).toMatchObject({
      affectedRows: 3,
    });
    expect(await db.query('update accounts set balance = 1 where id > 1')).toMatchObject({ affectedRows: 2 });
    const moved = await db.query('with d as (delete from accounts where id = $1 returning id) select id from d', [3]);
    expect(moved).toEqual({ rows: [{ id: 3 }], affectedRows: 1 });
  });

  test('of 50 concurrent transactions, the 5 that throw change nothing and the others lose nothing', async () => {
    const db = await open();
    await db.query('insert into accounts values (1, 0)');
    const runs = Array.from({ length: 50 }, (_, index) =>
      db.transaction(async (query) => {
        await query('update accounts set balance = balance + 1 where id = 1');
        await query('insert into entries (account, idem) values (1, $1)', [`run-${index}`]);
        if (index % 10 === 9) throw new Error('changed my mind');
      }),
    );
    const outcomes = await Promise.allSettled(runs);
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(5);
    const { rows } = await db.query('select balance, (select count(*) from entries) as entries from accounts');
    expect(rows).toEqual([{ balance: 45, entries: 45 }]);
  });

  test('statements outside a transaction never see its uncommitted rows or join it', async () => {
    const db = await open();
    await db.query('insert into accounts values (1, 0)');
    const seen: number[] = [];
    const transaction = db.transaction(async (query) => {
      await query('update accounts set balance = 7 where id = 1');
      await query('select pg_sleep(0.05)');
      throw new Error('no');
    });
    const readers = Array.from({ length: 10 }, async () => {
      const { rows } = await db.query<{ balance: number }>('select balance from accounts where id = 1');
      seen.push(rows[0]?.balance ?? -1);
    });
    const builder = db.kysely.withTables<{ accounts: { id: number; balance: number } }>();
    readers.push(
      builder
        .insertInto('accounts')
        .values({ id: 2, balance: 2 })
        .execute()
        .then(() => undefined),
    );
    await expect(transaction).rejects.toThrow('no');
    await Promise.all(readers);
    expect(new Set(seen)).toEqual(new Set([0]));
    expect((await db.query('select id, balance from accounts order by id')).rows).toEqual([
      { id: 1, balance: 0 },
      { id: 2, balance: 2 },
    ]);
  });

  test('an affordable debit is decided by one row lock, even with many concurrent debits', async () => {
    const db = await open();
    await db.query('insert into accounts values (1, 10)');
    const debit = (idem: string) =>
      db.query(
        `with d as (update accounts set balance = balance - 1 where id = 1 and balance >= 1 returning id)
         insert into entries (account, idem) select id, $1 from d`,
        [idem],
      );
    const results = await Promise.all(Array.from({ length: 50 }, (_, index) => debit(`call-${index}`)));
    expect(results.filter(({ affectedRows }) => affectedRows === 1)).toHaveLength(10);
    const { rows } = await db.query('select balance, (select count(*) from entries) as entries from accounts');
    expect(rows).toEqual([{ balance: 0, entries: 10 }]);
  });

  test('a transaction whose statement failed unnoticed is not reported as committed', async () => {
    const db = await open();
    const swallowed = db.transaction(async (query) => {
      await query('insert into accounts values (1, 1)');
      await query('insert into accounts values (1, 1)').catch(() => {});
    });
    await expect(swallowed).rejects.toThrow('rolled back');
    expect((await db.query('select * from accounts')).rows).toEqual([]);
  });

  test('a violated constraint is named, with its SQLSTATE', async () => {
    const db = await open();
    await db.query('insert into accounts values (1, 1)');
    await db.query("insert into entries (account, idem) values (1, 'once')");
    const again = await db
      .query("insert into entries (account, idem) values (1, 'once')")
      .catch((error: unknown) => error);
    expect(isUniqueViolation(again)).toBe(true);
    expect(isUniqueViolation(again, 'entries_idem_key')).toBe(true);
    expect(isUniqueViolation(again, 'another')).toBe(false);
    await expect(db.query('update accounts set balance = -1')).rejects.toMatchObject({
      code: '23514',
      constraint: 'accounts_balance_check',
    });
  });

  test('a notification reaches every listener until it stops listening', async () => {
    const db = await open();
    const first: string[] = [];
    const second: string[] = [];
    const stopFirst = await db.listen('servers', (payload) => first.push(payload));
    await db.listen('servers', (payload) => second.push(payload));
    await db.listen('Other "channel"', () => second.push('wrong'));
    await db.notify('servers', 'one');
    await waitUntil('notified', () => first.length === 1 && second.length === 1);
    await stopFirst();
    await db.transaction(async (query) => {
      await query("select pg_notify('servers', 'two')");
    });
    await waitUntil('notified', () => second.length === 2);
    expect({ first, second }).toEqual({ first: ['one'], second: ['one', 'two'] });
  });

  test('closing twice is the same as closing once, and nothing works afterwards', async () => {
    const db = await open();
    await Promise.all([db.close(), db.close()]);
    await expect(db.query('select 1')).rejects.toThrow(/closed|pool/);
  });

  test('a statement outside of its own open transaction is refused, instead of waiting forever', async () => {
    const db = await open();
    const builder = db.kysely.withTables<{ accounts: { id: number } }>();
    const nested: (() => Promise<unknown>)[] = [
      () => db.query('select 1'),
      () => db.transaction((query) => query('select 1')),
      () => builder.selectFrom('accounts').select('id').execute(),
    ];
    for (const work of nested) await expect(db.transaction<unknown>(work)).rejects.toThrow('outside itself');
    expect((await db.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });
});
