import { quoted } from '../db/channels.ts';
import type { Query } from '../db/database.ts';
import type { ArchiveHeader } from './archive-format.ts';
import { decodeRow } from './copy-text.ts';

type LoadedTable = ArchiveHeader['tables'][number];

const rowsAtOnce = 500;

export async function loadRows(query: Query, { name, columns }: LoadedTable, bytes: Buffer): Promise<number> {
  const lines = bytes.toString().split('\n').slice(0, -1);
  const names = columns.map((column) => quoted(column.name)).join(', ');
  const casts = columns.map(({ type }, index) => `v.c${index}::${type}`).join(', ');
  const arrays = columns.map((_, index) => `$${index + 1}::text[]`).join(', ');
  const aliases = columns.map((_, index) => `c${index}`).join(', ');
  const text = `insert into ${name} (${names}) overriding system value select ${casts} from unnest(${arrays}) as v(${aliases})`;
  for (let from = 0; from < lines.length; from += rowsAtOnce) {
    const rows = lines.slice(from, from + rowsAtOnce).map(decodeRow);
    await query(
      text,
      columns.map((_, index) => rows.map((row) => row[index] ?? null)),
    );
  }
  return lines.length;
}

/** Empties the tables, which migrations may have filled, and disables triggers, which would count the rows again. */
export async function prepareTables(query: Query, tables: readonly LoadedTable[]): Promise<void> {
  for (const { name, partitions } of tables) {
    await query(`alter table ${name} disable trigger user`);
    const schema = name.slice(0, name.indexOf('.'));
    for (const { name: partition, from, to } of partitions)
      await query(
        `create table if not exists ${schema}.${quoted(partition)} partition of ${name}
         for values from ('${literal(from)}') to ('${literal(to)}')`,
      );
  }
  await query(`truncate ${tables.map(({ name }) => name).join(', ')}`);
}

/** Enables triggers again, and sets sequences to continue after the last number. */
export async function finishTables(query: Query, tables: readonly LoadedTable[]): Promise<void> {
  for (const { name } of tables) await query(`alter table ${name} enable trigger user`);
  const { rows } = await query<{ table: string; column: string }>(
    `select format('%I.%I', n.nspname, c.relname) as table, a.attname as column
     from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
     where a.attidentity <> '' and c.relkind in ('r', 'p') and not c.relispartition`,
  );
  for (const { table, column } of rows)
    await query(
      `select setval(pg_get_serial_sequence($1, $2), coalesce(max(${quoted(column)}), 1), max(${quoted(column)}) is not null)
       from ${table}`,
      [table, column],
    );
}

const literal = (text: string): string => text.replaceAll("'", "''");
