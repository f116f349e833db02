import { join } from 'node:path';
import type { Migration } from '#platform/db/database.ts';
import { readStatements } from '#platform/db/read-statements.ts';

export const upstreamMigrations: readonly Migration[] = [
  { name: '0060-upstream-servers', statements: readStatements(join(import.meta.dirname, 'tables.sql')) },
];
