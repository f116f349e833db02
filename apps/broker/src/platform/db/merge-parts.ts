import type { Database } from './database.ts';

const maxAtOnce = 20_000;

/**
 * Empties a table of parts: `text` takes up to $1 of its rows, merges them into another table, and returns their number.
 * @param parts.lock prevents a deadlock of two mergers that update the same rows in different orders
 * @returns the number of parts
 */
export async function mergeParts(
  db: Pick<Database, 'query' | 'transaction' | 'engine'>,
  { table, lock, text }: { table: string; lock: string; text: string },
): Promise<number> {
  let merged = 0;
  for (let parts = maxAtOnce; parts === maxAtOnce; merged += parts) {
    parts = await db.transaction(async (query) => {
      await query('select pg_advisory_xact_lock(hashtext($1))', [lock]);
      const { rows } = await query<{ parts: number }>(text, [maxAtOnce]);
      return rows[0]?.parts ?? 0;
    });
  }
  // PGlite has no autovacuum that reuses the space of deleted rows
  if (merged > 0 && db.engine === 'pglite') await db.query(`vacuum ${table}`);
  return merged;
}
