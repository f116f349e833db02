import { CompiledQuery } from 'kysely';
import type { Db } from 'pg-boss';
import type { Database } from '../db/database.ts';

const begin = 'BEGIN;';
const commit = 'COMMIT;';

/**
 * Runs pg-boss on our Database, on connections without a time limit: it creates its schema there, and concurrent starts wait
 * for each other.
 */
export function bossBackend(db: Database): Db {
  return {
    async executeSql(text, values = []) {
      const inside = insideBlock(text);
      if (inside === undefined) return db.maintenance.executeQuery(CompiledQuery.raw(text, [...values]));
      // In our own transaction: if a statement of the text failed, its COMMIT would never run, and the embedded database's
      // only connection would stay in the failed transaction.
      return db.maintenance.transaction().execute((transaction) => transaction.executeQuery(CompiledQuery.raw(inside)));
    },
  };
}

/** Returns the inside of `BEGIN; …; COMMIT;`, as which pg-boss sends some work. */
function insideBlock(text: string): string | undefined {
  const trimmed = text.trim();
  const isBlock = trimmed.startsWith(begin) && trimmed.endsWith(commit);
  return isBlock ? trimmed.slice(begin.length, -commit.length) : undefined;
}
