import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DataFolderInUseError } from '../database-errors.ts';

export type FolderLock = { release(): void };

/**
 * Locks `folder` for this process through the file `${folder}.lock`. The kernel holds the lock (SQLite takes it by fcntl), so
 * it ends with the process, and there is no stale lock to clear.
 * @throws DataFolderInUseError if it is locked, by this process or another
 */
export function lockFolder(folder: string): FolderLock {
  mkdirSync(dirname(folder), { recursive: true, mode: 0o700 });
  const file = new DatabaseSync(`${folder}.lock`, { timeout: 0 });
  try {
    file.exec('PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    file.close();
    if (error instanceof Error && /locked|busy/i.test(error.message)) throw new DataFolderInUseError(folder);
    throw error;
  }
  return { release: () => file.close() };
}
