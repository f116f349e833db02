import { join } from 'node:path';
import type { Migration } from '#platform/db/database.ts';
import { readStatements } from '#platform/db/read-statements.ts';

export const gatewayMigrations: readonly Migration[] = [
  { name: '0070-gateway', statements: readStatements(join(import.meta.dirname, 'tables.sql')) },
];
