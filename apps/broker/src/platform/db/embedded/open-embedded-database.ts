import { constants, existsSync } from 'node:fs';
import { chmod, cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../../log.ts';
import { codeOf } from '../../thrown.ts';
import { createChannels } from '../channels.ts';
import type { Migration } from '../database.ts';
import { DataFolderDamagedError, DataFolderForbiddenError, DiskFullError } from '../database-errors.ts';
import { diskFullText, freeBytesOf, neededBytes, type DiskSpace } from './disk-space-guard.ts';
import { createEmbeddedDatabase, type EmbeddedDatabase } from './embedded-database.ts';
import { findForbidden } from '../find-forbidden.ts';
import { lockFolder } from './folder-lock.ts';
import { copyImage, ensureStartImage } from './start-image.ts';
import { startWorker, type WorkerConnection } from './worker-connection.ts';

export type EmbeddedOptions = {
  /** DATA_DIR; the database is the folder `db` in it. */
  dataDir: string;
  log: Log;
  cacheDir: string;
  /** The migrations of a new folder's image. `migrate` must still be called: an existing folder may be older. */
  migrations: readonly Migration[];
  /** False only in a test of the warning about missing fsyncs. */
  durable?: boolean;
};

/**
 * Opens or creates the embedded database of a data folder, in a worker, durable, for this process only.
 * @throws DataFolderInUseError if another process has it open, DataFolderDamagedError if it does not start,
 * DataFolderForbiddenError if it belongs to another user, DiskFullError if it would wait for space forever.
 */
export async function openEmbeddedDatabase(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const { dataDir, log, durable = true } = options;
  const folder = join(dataDir, 'db');
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const lock = lockFolder(folder);
  try {
    const freeBytes = freeBytesOf(dataDir);
    if (freeBytes < neededBytes) throw new DiskFullError(diskFullText(dataDir, freeBytes));
    if (!existsSync(folder)) await copyImage(await findImage(options), folder);
    // the folder keeps other users out, because PGlite creates files with mode 0666
    await chmod(folder, 0o700).catch((cause: unknown) => {
      throw new DataFolderForbiddenError(folder, folder, cause);
    });
    // Without this file PGlite would create a new, empty database over the other files.
    if (!existsSync(join(folder, 'PG_VERSION'))) throw new DataFolderDamagedError(folder, 'PG_VERSION is missing');
    const channels = createChannels(log);
    let fault: string | undefined;
    const onSpace = (space: DiskSpace) => {
      fault = space.isFull ? diskFullText(folder, space.freeBytes) : undefined;
      logSpace(space, folder, log);
    };
    const worker = await startWorker({ folder, durable }, channels.deliver, onSpace).catch(async (cause: unknown) => {
      const forbidden = await findForbidden(folder);
      throw forbidden === undefined
        ? new DataFolderDamagedError(folder, cause)
        : new DataFolderForbiddenError(folder, forbidden, cause);
    });
    await warnUnlessDurable(worker, log);
    const db = createEmbeddedDatabase(worker, lock.release, channels);
    const copyTo = (to: string) =>
      db.whileStill(() => cp(folder, join(to, 'db'), { recursive: true, mode: constants.COPYFILE_FICLONE }));
    return { ...db, copyTo, fault: () => fault };
  } catch (error) {
    lock.release();
    throw error;
  }
}

function logSpace({ isFull, freeBytes }: DiskSpace, folder: string, log: Log): void {
  if (isFull)
    log.error({ folder, freeBytes }, `${diskFullText(folder, freeBytes)} Nothing is written until it has space.`);
  else log.warn({ folder, freeBytes }, 'The disk of the database has space again: it writes as before.');
}

/** Warns if the fsync hook is not called: it depends on internals of a pinned version, and data could be lost silently. */
async function warnUnlessDurable(worker: WorkerConnection, log: Log): Promise<void> {
  const before = await worker.fsyncCount();
  // The smallest commit that must reach the log on disk, without touching a table.
  await worker.run("select pg_logical_emit_message(true, 'souk', 'opened')", []);
  if ((await worker.fsyncCount()) > before) return;
  log.error('The embedded database does not fsync: it survives a killed process, but NOT a power failure.');
}

/** Returns the image of the cache, or one in the data folder if the product's own folder is not writable. */
async function findImage({ cacheDir, dataDir, migrations }: EmbeddedOptions): Promise<string> {
  try {
    return await ensureStartImage(cacheDir, migrations);
  } catch (error) {
    if (!['EACCES', 'EPERM', 'EROFS'].includes(codeOf(error) ?? '')) throw error;
    return ensureStartImage(join(dataDir, 'cache'), migrations);
  }
}
