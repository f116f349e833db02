import { CompiledQuery } from 'kysely';
import type { Database } from '../../apps/broker/src/platform/db/database.ts';

/** How far back what is seeded goes. */
export const seededDays = 60;
/** Many of the calls, entries, payments and sign-ins are those of one person. */
export const busyEmail = 'user1@bench.test';

/** Without the time limit of ordinary statements. */
export const run = (db: Database, text: string, values: unknown[] = []) =>
  db.maintenance.executeQuery(CompiledQuery.raw(text, values));
