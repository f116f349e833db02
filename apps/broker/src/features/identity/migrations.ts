import { join } from 'node:path';
import type { Migration } from '#platform/db/database.ts';
import { readStatements } from '#platform/db/read-statements.ts';

export const identityMigrations: readonly Migration[] = [
  {
    name: '0010-identity',
    statements: [
      ...readStatements(join(import.meta.dirname, 'tables.sql')),
      ...readStatements(join(import.meta.dirname, 'users/tables.sql')),
    ],
  },
];
