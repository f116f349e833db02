import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrations } from '../../apps/broker/src/migrations.ts';
import type { Database } from '../../apps/broker/src/platform/db/database.ts';
import { migrate } from '../../apps/broker/src/platform/db/migrate.ts';
import { openDatabase } from '../../apps/broker/src/platform/db/open-database.ts';
import { createLog } from '../../apps/broker/src/platform/log.ts';
import { findPostgresBinaries } from '../../apps/broker/src/testing/databases/postgres-binaries.ts';
import { startPostgresCluster } from '../../apps/broker/src/testing/databases/postgres-cluster.ts';

/** Clusters are configured for tests without durability; with this a commit waits as in production. */
export const durable = '?options=-c%20synchronous_commit%3Don';

/**
 * Runs `use` with a new, migrated database and a folder for data, and deletes both. `use` closes the database.
 * @param settings added to the address of PostgreSQL
 */
export async function withDatabase<Result>(
  kind: string,
  use: (db: Database, dataDir: string) => Promise<Result>,
  settings = '',
): Promise<Result> {
  const dataDir = await mkdtemp(join(tmpdir(), 'souk-bench-'));
  const binaries = kind === 'postgres' ? findPostgresBinaries() : undefined;
  const cluster = binaries === undefined ? undefined : await startPostgresCluster(binaries);
  try {
    const databaseUrl = cluster && `${cluster.url}${settings}`;
    const log = createLog('fatal', process.stderr);
    const db = await openDatabase({ databaseUrl, dataDir, log, migrations });
    await migrate(db, migrations);
    return await use(db, dataDir);
  } finally {
    await cluster?.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}
