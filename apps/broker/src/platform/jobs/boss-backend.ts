import { CompiledQuery } from 'kysely';
import type { Db } from 'pg-boss';
import type { Database } from '../db/database.ts';

/** pg-boss sends some work as one text `BEGIN; …; COMMIT;`. */
const block = /^\s*BEGIN;([\s\S]*)COMMIT;\s*$/;

/**
 * pg-boss over our Database, on the connections without a time limit: its schema is made here, and starts at once wait for
 * each other.
 */
export function bossBackend(db: Database): Db {
  return {
    async executeSql(text, values = []) {
      const inside = block.exec(text)?.[1];
      if (inside === undefined) return db.maintenance.executeQuery(CompiledQuery.raw(text, [...values]));
      // As a transaction of ours, not of the text's: when a statement of the text failed, its COMMIT would not be reached, and
      // the embedded database's one connection would stay in the failed transaction, for everybody.
      return db.maintenance.transaction().execute((transaction) => transaction.executeQuery(CompiledQuery.raw(inside)));
    },
  };
}
