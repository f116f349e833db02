import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { columns, type Row } from './columns.ts';

const file = join(import.meta.dirname, 'results.json');

const cellSchema = z.discriminatedUnion('state', [
  z.object({ state: z.enum(['ok', 'none']), note: z.string().exactOptional() }),
  z.object({ state: z.literal('fault'), note: z.string(), thread: z.string() }),
  z.object({ state: z.enum(['not run', 'failed']), note: z.string() }),
]);
const rowSchema = z.object({
  name: z.string(),
  label: z.string(),
  version: z.string(),
  told: z.string(),
  cells: z.record(z.enum(columns.map(([column]) => column)), cellSchema),
  /** The day of the run, UTC. */
  date: z.iso.date(),
});
const resultsSchema = z.record(z.string(), z.array(rowSchema));

export type DatedRow = Row & { date: string };
/** The newest row of each client, for each kind of run. */
export type Results = Record<string, DatedRow[]>;

export const readResults = (): Results => resultsSchema.parse(JSON.parse(readFileSync(file, 'utf8')));

/** Replaces the earlier rows of the same clients, and stores the result. */
export function storeRows(variant: string, rows: readonly DatedRow[], order: readonly string[]): Results {
  const results = readResults();
  const others = (results[variant] ?? []).filter(({ name }) => rows.every((row) => row.name !== name));
  const place = ({ name }: DatedRow) => order.indexOf(name);
  results[variant] = [...others, ...rows].sort((a, b) => place(a) - place(b));
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
  return results;
}
