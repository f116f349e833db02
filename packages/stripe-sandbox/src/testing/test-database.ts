import { cp, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { inject } from 'vitest';
import { sandboxMigrations } from '../storage/migrations.ts';
import { sqlStorage, type Query, type SqlDatabase } from '../storage/sql-storage.ts';
import type { Storage } from '../storage/storage.ts';

let opening: Promise<PGlite> | undefined;
let schemas = 0;

/**
 * Opens an empty storage. All tests of a process share one database, with a schema for each: opening a database takes a
 * second.
 */
export async function openTestStorage(): Promise<Storage> {
  const pglite = await (opening ??= openDatabase());
  const schema = `sandbox_${++schemas}`;
  for (const { statements } of sandboxMigrations(schema)) {
    for (const statement of statements) await pglite.exec(statement);
  }
  const database: SqlDatabase = {
    transaction: (work) =>
      pglite.transaction(async (transaction) => {
        const query: Query = (text, values) => transaction.query(text, values ? [...values] : []);
        return work(query);
      }),
  };
  return sqlStorage(database, schema);
}

/** Copies the empty database that the test run has made, which is faster than making one. */
async function openDatabase(): Promise<PGlite> {
  const { folder, images } = inject('testDatabases');
  const [image] = images;
  if (!image) throw new Error('there is no database to copy');
  const copy = join(await mkdtemp(join(folder, 'sandbox-')), 'db');
  await cp(image.folder, copy, { recursive: true });
  return PGlite.create({ dataDir: copy, relaxedDurability: true });
}
