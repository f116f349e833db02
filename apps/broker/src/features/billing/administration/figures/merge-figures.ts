import type { Database } from '#platform/db/database.ts';
import { mergeParts } from '#platform/db/merge-parts.ts';
import { mergeText } from './tables.ts';

/** Merges what statements have appended to figure_parts into figure_days. Figures stay the same. */
export const mergeFigures = (db: Pick<Database, 'query' | 'transaction' | 'engine'>): Promise<number> =>
  mergeParts(db, { table: 'figure_parts', lock: 'souk:figure-merge', text: mergeText });
