import { createOwnBackups } from '#platform/backup/own-backups.ts';
import type { AppOptions } from '../app-types.ts';
import type { Platform } from './open-platform.ts';

/** Returns the job that makes automatic backups; undefined if they are off. */
export function backupsOfApp({ config, db, clock, log }: Platform, write: AppOptions['writeBackup']) {
  if (!config.backup || !write) return undefined;
  const { dir: folder, keep, everySeconds } = config.backup;
  const backups = createOwnBackups({ query: db.query, folder, keep, write, clock, log });
  return { everySeconds, run: backups.run };
}
