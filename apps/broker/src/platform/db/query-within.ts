import { CompiledQuery, type Transaction } from 'kysely';
import type { Query } from './database.ts';

/** Runs hand-written statements within a transaction of the query builder. */
export function queryWithin<Tables>(tx: Transaction<Tables>): Query {
  return async <Row>(text: string, values: readonly unknown[] = []) => {
    const { rows, numAffectedRows } = await tx.executeQuery<Row>(CompiledQuery.raw(text, [...values]));
    return { rows, affectedRows: Number(numAffectedRows ?? 0) };
  };
}
