import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { readLedgerSums } from '#features/billing/index.ts';
import { takeBackup } from '#platform/backup/take-backup.ts';
import { systemClock } from '#platform/clock.ts';
import { readConfig, type Config } from '#platform/config.ts';
import { openMasterKey } from '#platform/crypto/master-key.ts';
import type { Database } from '#platform/db/database.ts';
import { openDatabase } from '#platform/db/open-database.ts';
import { createLog } from '#platform/log.ts';
import { callOperator, NotRunningError } from '#platform/operator/call-operator.ts';
import { version } from '../../../version.ts';
import { required, UsageError, type CliOptions, type Values } from '../command.ts';

/** Enough to copy the files of a large database. */
const copyTimeoutMs = 10 * 60_000;
const log = createLog('error');

export async function backup(values: Values, { environment, stdout, stderr }: CliOptions): Promise<void> {
  const file = resolve(required(values, 'FILE', 'backup'));
  if (existsSync(file)) throw new UsageError(`${file} exists: name a new file`);
  const config = readConfig(environment);
  const withKey = values['with-key'] === true;
  const { header, bytes } = await takeBackupOf(config, file, { withKey });
  const rows = header.tables.reduce((sum, table) => sum + table.rows, 0);
  stdout(`${file}: ${rows} rows of ${header.tables.length} tables, ${Math.ceil(bytes / 1024)} KiB`);
  if (withKey) stderr('The file contains the master key: anyone who reads the file can read every secret.');
  else stderr('The master key is not in the file. Store it elsewhere: without it the secrets are lost.');
}

/** Writes all data into a new file, whether or not a broker runs. @param options.refuses throws if no backup should be taken */
export function takeBackupOf(
  config: Config,
  file: string,
  { withKey, refuses = async () => {} }: { withKey: boolean; refuses?: (db: Database) => Promise<void> },
): Promise<Awaited<ReturnType<typeof takeBackup>>> {
  return withDatabase(config, dirname(file), async (db) => {
    await refuses(db);
    const masterKey = await openMasterKey(config, db);
    const parts = {
      db,
      dataDir: config.dataDir,
      masterKey,
      nextMasterKey: config.nextMasterKey,
      withKey,
      version,
      ledgerSums: readLedgerSums,
      clock: systemClock,
    };
    return takeBackup(file, parts);
  });
}

/** Opens PostgreSQL, which brokers may use meanwhile, or a copy of the embedded database, which the running broker makes. */
async function withDatabase<T>(config: Config, beside: string, work: (db: Database) => Promise<T>): Promise<T> {
  const copy = config.databaseUrl === undefined ? await mkdtemp(join(beside, '.souk-backup-')) : undefined;
  try {
    const isCopied = copy !== undefined && (await copyRunning(config, copy));
    const db = await openDatabase({ ...config, ...(isCopied && { dataDir: copy }), log });
    try {
      return await work(db);
    } finally {
      await db.close();
    }
  } finally {
    if (copy !== undefined) await rm(copy, { recursive: true, force: true });
  }
}

/** @returns false if no broker runs, so that the database itself can be opened */
async function copyRunning({ dataDir }: Config, folder: string): Promise<boolean> {
  try {
    await callOperator(dataDir, 'database.copy', { folder }, copyTimeoutMs);
    return true;
  } catch (error) {
    if (error instanceof NotRunningError) return false;
    throw error;
  }
}
