import type { Database } from '#platform/db/database.ts';
import { mergeText } from './migrations.ts';

const maxAtOnce = 20_000;

/**
 * Brings what batches have appended to usage_parts into usage_daily, one row for each day, server and tool. Figures are the
 * same before, meanwhile and afterwards; it keeps the table small, and reading cheap. @returns how many parts it took
 */
export async function mergeUsage(db: Pick<Database, 'query' | 'transaction' | 'engine'>): Promise<number> {
  let merged = 0;
  for (let parts = maxAtOnce; parts === maxAtOnce; merged += parts) {
    parts = await db.transaction(async (query) => {
      // two that update the same days in different orders would block each other
      await query(`select pg_advisory_xact_lock(hashtext('souk:usage-merge'))`);
      const { rows } = await query<{ parts: number }>(mergeText, [maxAtOnce]);
      return rows[0]?.parts ?? 0;
    });
  }
  // PGlite has no process that reuses the space of deleted rows
  if (merged > 0 && db.engine === 'pglite') await db.query('vacuum usage_parts');
  return merged;
}
