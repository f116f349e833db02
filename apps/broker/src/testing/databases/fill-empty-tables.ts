import { randomUUID } from 'node:crypto';
import { listTables } from '#platform/backup/list-tables.ts';
import { quoted } from '#platform/db/channels.ts';
import type { Database, Query } from '#platform/db/database.ts';

type Value = string | number | boolean | Uint8Array | null;
type ColumnFacts = { name: string; type: string; oneOf: string | null; refersTo: string | null };

/** Values without which the row would not belong to a shop at rest. */
const chosen: Readonly<Record<string, Value>> = {
  'access_refunds.state': 'refunded',
  'access_refunds.next_at': null,
  // no account has this id: one that had it would be deleted at the next start
  'erasures_to_repeat.user_id': '00000000-0000-4000-8000-000000000000',
  'ledger_checks.faults': '[]',
  'manifest_runs.status': 'done',
  'notices.next_at': null,
};

/**
 * Inserts one row into each empty table, with a value in each column.
 * @param but tables that stay empty
 */
export async function fillEmptyTables(
  { query }: Pick<Database, 'query'>,
  userId: string,
  but: readonly string[],
): Promise<void> {
  for (const { name } of await listTables(query)) {
    const table = name.replace(/^public\./, '');
    const { rows } = await query(`select from ${name} limit 1`);
    if (rows.length === 0 && !but.includes(table)) await addRow(query, { name, table, userId });
  }
}

async function addRow(query: Query, of: { name: string; table: string; userId: string }): Promise<void> {
  const columns = await columnsOf(query, of.name);
  const values: [string, Value][] = [];
  for (const column of columns) values.push([column.name, await valueFor(query, column, of)]);
  const names = values.map(([column]) => quoted(column)).join(', ');
  const places = values.map((_, at) => `$${at + 1}`).join(', ');
  await query(
    `insert into ${of.name} (${names}) values (${places})`,
    values.map(([, value]) => value),
  );
}

async function valueFor(
  query: Query,
  { name, type, oneOf, refersTo }: ColumnFacts,
  of: { table: string; userId: string },
): Promise<Value> {
  const own = chosen[`${of.table}.${name}`];
  if (own !== undefined) return own;
  if (name === 'user_id') return of.userId;
  if (refersTo !== null) {
    const [table = '', column = ''] = refersTo.split(' ');
    const { rows } = await query<{ value: string }>(
      `select ${quoted(column)}::text as value from ${table} order by 1 limit 1`,
    );
    return rows[0]?.value ?? null;
  }
  return oneOf ?? plainValue(type, name);
}

function plainValue(type: string, name: string): Value {
  if (type === 'uuid') return randomUUID();
  if (type === 'boolean') return name === 'only_row';
  if (/^(bigint|integer|double precision|numeric)/.test(type)) return 1;
  if (/^(timestamp|date)/.test(type)) return new Date().toISOString();
  if (type.startsWith('json')) return '{}';
  if (type.endsWith('[]')) return '{}';
  if (type === 'bytea') return new Uint8Array([0]);
  return name;
}

async function columnsOf(query: Query, table: string): Promise<ColumnFacts[]> {
  const { rows } = await query<ColumnFacts>(
    `select a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
       (select (regexp_match(pg_get_constraintdef(c.oid), '\\(' || a.attname || ' = ANY \\(ARRAY\\[''([^'']+)'))[1]
        from pg_constraint c where c.conrelid = a.attrelid and c.contype = 'c'
          and pg_get_constraintdef(c.oid) ~ ('\\(' || a.attname || ' = ANY') limit 1) as "oneOf",
       (select c.confrelid::regclass::text || ' ' || f.attname
        from pg_constraint c, unnest(c.conkey, c.confkey) as k(own, other), pg_attribute f
        where c.conrelid = a.attrelid and c.contype = 'f' and k.own = a.attnum
          and f.attrelid = c.confrelid and f.attnum = k.other limit 1) as "refersTo"
     from pg_attribute a
     where a.attrelid = $1::regclass and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' and a.attidentity = ''`,
    [table],
  );
  return rows;
}
