import type { Database } from '#platform/db/database.ts';
import { mergeParts } from '#platform/db/merge-parts.ts';
import { mergeText } from './tables.ts';

/**
 * Brings what batches have appended to usage_parts into usage_daily, one row for each day, server and tool. Figures are the
 * same before, meanwhile and afterwards; it keeps the table small, and reading cheap. @returns how many parts it took
 */
export const mergeUsage = (db: Pick<Database, 'query' | 'transaction' | 'engine'>): Promise<number> =>
  mergeParts(db, { table: 'usage_parts', lock: 'souk:usage-merge', text: mergeText });
