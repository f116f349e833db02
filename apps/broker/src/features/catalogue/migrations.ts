import { join } from 'node:path';
import type { Migration } from '#platform/db/database.ts';
import { readStatements } from '#platform/db/read-statements.ts';

export const catalogueMigrations: readonly Migration[] = [
  { name: '0030-catalogue', statements: readStatements(join(import.meta.dirname, 'tables.sql')) },
];
