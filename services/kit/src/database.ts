import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/**
 * Opens `{dataDir}/{name}.sqlite`, readable by its owner only, and migrates it to the latest schema.
 * @param migrations SQL scripts in order; `PRAGMA user_version` counts those applied, each in its own transaction
 */
export function openDatabase(dataDir: string, name: string, migrations: readonly string[]): DatabaseSync {
  const file = join(dataDir, `${name}.sqlite`);
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: true, timeout: 5_000 });
  // SQLite gives its -wal and -shm files the permissions of the database file, so this comes before WAL.
  chmodSync(file, 0o600);
  // FULL: saved data also survives a power failure. The cache is small, because many services share a machine.
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -1024;');
  const done = Number(database.prepare('PRAGMA user_version').get()?.['user_version'] ?? 0);
  for (const [index, script] of migrations.entries()) {
    if (index < done) continue;
    inTransaction(database, () => database.exec(`${script}; PRAGMA user_version = ${index + 1}`));
  }
  return database;
}

/** Runs `work` in one transaction, rolled back if it throws. */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    database.exec('ROLLBACK');
    throw error;
  }
}
