import { join } from 'node:path';
import type { Migration } from '#platform/db/database.ts';
import { readStatements } from '#platform/db/read-statements.ts';
import { dailyStatements } from './daily/tables.ts';
import { overallStatements } from './overall/tables.ts';
import { writeUsageFunction } from './usage-writer.ts';

export const usageMigrations: readonly Migration[] = [
  {
    name: '0040-usage',
    statements: [
      ...readStatements(join(import.meta.dirname, 'tables.sql')),
      writeUsageFunction,
      ...dailyStatements,
      ...overallStatements,
    ],
  },
];
