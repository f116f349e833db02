import type { Query } from '#platform/db/database.ts';

/** Reads rows whose columns have the names of `Row`: `user_id as "userId"`. A null of the database is undefined here. */
export async function readRows<Row extends object>(
  query: Query,
  text: string,
  values?: readonly unknown[],
): Promise<Row[]> {
  const { rows } = await query<Row>(text, values);
  for (const row of rows)
    for (const [name, value] of Object.entries(row)) if (value === null) Reflect.set(row, name, undefined);
  return rows;
}

/** Reads the first of such rows; undefined where there is none. */
export async function readRow<Row extends object>(
  query: Query,
  text: string,
  values?: readonly unknown[],
): Promise<Row | undefined> {
  const [row] = await readRows<Row>(query, text, values);
  return row;
}
