import { CompiledQuery } from 'kysely';
import type { Database } from '../../apps/broker/src/platform/db/database.ts';

export const seededDays = 60;
/** User with many of the calls, entries, payments and sign-ins. */
export const busyEmail = 'user1@bench.test';

/** Runs a statement without the usual time limit. */
export const run = (db: Database, text: string, values: unknown[] = []) =>
  db.maintenance.executeQuery(CompiledQuery.raw(text, values));
