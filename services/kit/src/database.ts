import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/**
 * Opens `{dataDir}/{name}.sqlite` for its owner alone and brings it to the newest schema.
 * `migrations` are SQL scripts in order; `PRAGMA user_version` counts those that ran, each in its own transaction.
 */
export function openDatabase(dataDir: string, name: string, migrations: readonly string[]): DatabaseSync {
  const file = join(dataDir, `${name}.sqlite`);
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: true, timeout: 5_000 });
  // SQLite gives its -wal and -shm files the permissions of the database file, so this comes before WAL.
  chmodSync(file, 0o600);
  // FULL: what a tool answered as saved survives a power cut, too. The cache stays small: many services share a machine.
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -1024;');
  const done = Number(database.prepare('PRAGMA user_version').get()?.['user_version'] ?? 0);
  for (const [index, script] of migrations.entries()) {
    if (index < done) continue;
    inTransaction(database, () => database.exec(`${script}; PRAGMA user_version = ${index + 1}`));
  }
  return database;
}

/** Runs `work` in one transaction: all of it, or nothing when it throws. */
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
