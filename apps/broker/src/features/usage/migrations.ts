import { join } from 'node:path';
import type { Migration } from '#platform/db/database.ts';
import { readStatements } from '#platform/db/read-statements.ts';
import { writeUsageFunction } from './insert-rows.ts';

const read = (file: string) => readStatements(join(import.meta.dirname, file));

const inserted = 'select *, 1 as sign from new_rows';
const triggers = [
  { name: 'add_usage', event: 'insert', tables: 'new table as new_rows', rows: inserted },
  {
    name: 'correct_usage',
    event: 'update',
    tables: 'old table as old_rows new table as new_rows',
    rows: `${inserted} union all select *, -1 from old_rows`,
  },
];
const fill = (text: string, values: Readonly<Record<string, string>>) =>
  text.replaceAll(/\{(name|event|tables|rows)\}/g, (_, name: string) => values[name] ?? '');

export const usageMigrations: readonly Migration[] = [
  {
    name: '0040-usage',
    statements: [
      ...read('tables.sql'),
      writeUsageFunction,
      ...read('daily/tables.sql'),
      ...triggers.flatMap((trigger) => read('daily/sum-usage.sql').map((text) => fill(text, trigger))),
      ...read('overall/tables.sql'),
    ],
  },
];
