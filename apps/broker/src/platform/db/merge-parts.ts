import type { Database } from './database.ts';

const maxAtOnce = 20_000;

/**
 * Works off a table of parts: `text` takes up to $1 of its rows, brings them into another table, and answers how many.
 * @param parts.lock of two that update the same rows in different orders each would block the other
 * @returns how many parts there were
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
  // PGlite has no process that reuses the space of deleted rows
  if (merged > 0 && db.engine === 'pglite') await db.query(`vacuum ${table}`);
  return merged;
}
