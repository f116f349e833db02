import { CompiledQuery, type Transaction } from 'kysely';
import type { Query } from './database.ts';

/** Hand-written statements of one feature within a transaction that another one began by the query builder. */
export function queryWithin<Tables>(tx: Transaction<Tables>): Query {
  return async <Row>(text: string, values: readonly unknown[] = []) => {
    const { rows, numAffectedRows } = await tx.executeQuery<Row>(CompiledQuery.raw(text, [...values]));
    return { rows, affectedRows: Number(numAffectedRows ?? 0) };
  };
}
