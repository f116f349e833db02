import type { Log } from '../log.ts';
import type { Database, Migration } from './database.ts';
import { openEmbeddedDatabase } from './embedded/open-embedded-database.ts';
import { openPostgresDatabase } from './postgres/postgres-database.ts';
import { defaultCacheDir } from './embedded/start-image.ts';

export type OpenDatabaseOptions = {
  /** PostgreSQL's address; undefined opens the embedded database of `dataDir`. */
  databaseUrl: string | undefined;
  /** Where notices of PostgreSQL come from; by default databaseUrl. */
  listenUrl?: string | undefined;
  dataDir: string;
  /** PostgreSQL's connections for statements (DATABASE_POOL_SIZE). */
  poolSize?: number | undefined;
  /** See `openPostgresDatabase`. */
  isStarting?: boolean | undefined;
  log: Log;
  /** All migrations, so that a new embedded folder starts from an image that has them. `migrate` must still be called. */
  migrations?: readonly Migration[];
  cacheDir?: string;
};

/**
 * Opens the database that the configuration names.
 * @throws DataFolderInUseError, DataFolderDamagedError, DataFolderForbiddenError (embedded); if PostgreSQL is unreachable, an
 *   error for which isDatabaseLost is true
 */
export function openDatabase(options: OpenDatabaseOptions): Promise<Database> {
  const { databaseUrl, listenUrl, dataDir, poolSize, log, migrations = [], cacheDir = defaultCacheDir } = options;
  if (databaseUrl !== undefined)
    return openPostgresDatabase({ databaseUrl, listenUrl, poolSize, isStarting: options.isStarting, log });
  return openEmbeddedDatabase({ dataDir, log, cacheDir, migrations });
}
