import type { Query } from '#platform/db/database.ts';

/** Reads rows whose columns are named as in `Row`, such as `user_id as "userId"`. A null becomes undefined. */
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

/** Reads the first row in the same way; undefined where there is none. */
export async function readRow<Row extends object>(
  query: Query,
  text: string,
  values?: readonly unknown[],
): Promise<Row | undefined> {
  const [row] = await readRows<Row>(query, text, values);
  return row;
}
