import type { Query } from '../db/database.ts';
import type { EncryptedColumn } from './encrypted-columns.ts';
import type { SecretContext } from './vault.ts';

export type SealedRow = { key: Readonly<Record<string, string>>; context: SecretContext; sealed: string };

export const rowsAtOnce = 500;

/** Returns the SQL expression of the sealed text. */
export const valueOf = ({ column, member }: EncryptedColumn): string =>
  member === undefined ? column : `(${column} ->> '${member}')`;

/** Reads every sealed value of a column, in batches in the order of its key. Misses rows that are added before its position. */
export async function* readSealed(query: Query, column: EncryptedColumn): AsyncGenerator<SealedRow[]> {
  const keys = Object.entries(column.key);
  const names = keys.map(([name]) => name);
  const all = [...names, ...(column.reads ?? [])];
  const value = valueOf(column);
  const after = keys.map(([, type], index) => `$${index + 1}::${type}`);
  const text = (condition: string) =>
    `select json_build_object(${all.map((name) => `'${name}', ${name}::text`).join(', ')}) as columns, ${value} as sealed
     from ${column.table} where ${value} is not null ${condition} order by ${names.join(', ')} limit ${rowsAtOnce}`;
  let last: readonly string[] | undefined;
  for (;;) {
    const { rows } = await query<{ columns: Record<string, string>; sealed: string }>(
      text(last ? `and (${names.join(', ')}) > (${after.join(', ')})` : ''),
      last,
    );
    if (rows.length > 0) yield rows.map(({ columns, sealed }) => placed(column, columns, sealed));
    const end = rows.at(-1);
    if (!end || rows.length < rowsAtOnce) return;
    last = names.map((name) => end.columns[name] ?? '');
  }
}

function placed(column: EncryptedColumn, columns: Record<string, string>, sealed: string): SealedRow {
  const key = Object.fromEntries(Object.keys(column.key).map((name) => [name, columns[name] ?? '']));
  return { key, context: { table: column.table, ...column.boundTo(columns) }, sealed };
}
