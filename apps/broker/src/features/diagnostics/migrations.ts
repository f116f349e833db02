import { join } from 'node:path';
import type { Migration } from '#platform/db/database.ts';
import { readStatements } from '#platform/db/read-statements.ts';

export const diagnosticsMigrations: readonly Migration[] = [
  { name: '0020-diagnostics', statements: readStatements(join(import.meta.dirname, 'tables.sql')) },
];
