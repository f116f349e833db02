import { CompiledQuery } from 'kysely';
import type { Db } from 'pg-boss';
import type { Database } from '../db/database.ts';

const begin = 'BEGIN;';
const commit = 'COMMIT;';

/**
 * pg-boss over our Database, on the connections without a time limit: it makes its schema here, and several starts at once
 * wait for each other.
 */
export function bossBackend(db: Database): Db {
  return {
    async executeSql(text, values = []) {
      const inside = insideBlock(text);
      if (inside === undefined) return db.maintenance.executeQuery(CompiledQuery.raw(text, [...values]));
      // In our own transaction: if a statement of the text failed, its COMMIT would not be reached, and the embedded
      // database's only connection would stay in the failed transaction.
      return db.maintenance.transaction().execute((transaction) => transaction.executeQuery(CompiledQuery.raw(inside)));
    },
  };
}

/** pg-boss sends some work as one text `BEGIN; …; COMMIT;`. */
function insideBlock(text: string): string | undefined {
  const trimmed = text.trim();
  const isBlock = trimmed.startsWith(begin) && trimmed.endsWith(commit);
  return isBlock ? trimmed.slice(begin.length, -commit.length) : undefined;
}
