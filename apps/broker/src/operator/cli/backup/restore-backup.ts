import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { checkLedger, readLedgerSums } from '#features/billing/index.ts';
import { keyName, type ArchiveHeader } from '#platform/backup/archive-format.ts';
import { readErased, repeatErasures } from '#platform/backup/erased-list.ts';
import { readArchive, readHeader, verifyArchive } from '#platform/backup/read-archive.ts';
import {
  migrationsOfBackup,
  requireNoFolders,
  restoreDatabase,
  restoreFolders,
} from '#platform/backup/restore-backup.ts';
import { ConfigError, readConfig, type Config } from '#platform/config.ts';
import { hasMasterKey, readMasterKey } from '#platform/crypto/master-key.ts';
import { checkSecrets, sayUnreadable, type CheckedColumn } from '#platform/crypto/check-secrets.ts';
import { createVault, masterKeyIdOf } from '#platform/crypto/vault.ts';
import { openDatabase } from '#platform/db/open-database.ts';
import { createLog } from '#platform/log.ts';
import { makeDataFolder } from '#platform/data-folder.ts';
import { migrations } from '../../../migrations.ts';
import { version } from '../../../version.ts';
import { ReportedError, required, UsageError, type CliOptions, type Values } from '../command.ts';

const log = createLog('error');

/** Runs `souk restore FILE`. Verifies the whole file before it writes anything. */
export async function restore(values: Values, { environment, stdout, stderr }: CliOptions): Promise<void> {
  const file = resolve(required(values, 'FILE', 'restore'));
  const config = readConfig(environment);
  if (!existsSync(file)) throw new UsageError(`${file} does not exist`);
  await verifyArchive(file);
  const header = await readHeader(file);
  const key = await keyOf(file, header, config);
  const isCheck = values.check === true;
  const erased = await readErased(file);
  let filled: { secrets: CheckedColumn[]; erasures: number };
  if (isCheck) {
    const dataDir = await mkdtemp(join(tmpdir(), 'souk-restore-'));
    try {
      filled = await fill(file, header, { databaseUrl: undefined, dataDir }, { ...key, erased });
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  } else {
    makeDataFolder(config.dataDir);
    requireNoFolders(header, config.dataDir);
    filled = await fill(file, header, config, { ...key, erased });
    await restoreFolders(file, header, config.dataDir);
    // last: a data folder without the key does not count as a shop
    if (key.isOfArchive) await writeFile(join(config.dataDir, keyName), `${key.text}\n`, { mode: 0o600, flag: 'wx' });
  }
  stdout(
    `${isCheck ? 'Would restore' : 'Restored'}: Souk ${header.version}, ${header.database}, as of ${header.takenAt}`,
  );
  for (const { name, rows } of header.tables) if (rows > 0) stdout(`  ${name}: ${rows} rows`);
  if (header.folders.length > 0) stdout(`  folders: ${header.folders.join(', ')}`);
  const { secrets, erasures } = filled;
  if (erasures > 0)
    stdout(`  accounts that were deleted after the backup and will be deleted again at the start: ${erasures}`);
  stdout(`  secrets that open with this key: ${secrets.reduce((sum, one) => sum + one.secrets - one.unreadable, 0)}`);
  const unreadable = sayUnreadable(secrets);
  for (const line of unreadable) stderr(line);
  if (isCheck && unreadable.length > 0) throw new ReportedError();
  if (!isCheck) stderr('Start Souk with the same PUBLIC_URL as before, so that users stay signed in.');
}

/** Finds the key that opens the secrets of the archive. @throws ConfigError if only another key, or none, is configured */
export async function keyOf(
  file: string,
  header: ArchiveHeader,
  config: Config,
): Promise<{ text: string; others: string[]; isOfArchive: boolean }> {
  const isSet = config.masterKey !== undefined || hasMasterKey(config.dataDir);
  const remedy = 'set MASTER_KEY, or MASTER_KEY_FILE, to the key of the shop that was backed up';
  if (!isSet && !header.hasKey) throw new ConfigError([`MASTER_KEY is missing, and the backup has none: ${remedy}`]);
  const text = isSet ? readMasterKey(config) : await archivedKey(file);
  const others = config.nextMasterKey === undefined ? [] : [config.nextMasterKey];
  const ids = [text, ...others].map(masterKeyIdOf);
  if (!ids.includes(header.masterKeyId))
    throw new ConfigError([`MASTER_KEY: the secrets of the backup were encrypted with another key: ${remedy}`]);
  if (header.formerKeyId !== undefined && !ids.includes(header.formerKeyId))
    throw new ConfigError([
      'MASTER_KEY: the backup was taken while the key was rotated: set MASTER_KEY to the former key and MASTER_KEY_NEXT to the new one',
    ]);
  return { text, others, isOfArchive: !isSet };
}

async function archivedKey(file: string): Promise<string> {
  for await (const { name, bytes } of readArchive(file)) if (name === keyName) return bytes.toString().trim();
  throw new Error('the backup says that it has the master key, but it does not');
}

/**
 * Fills a new database from an archive and checks it.
 * @returns which secrets these keys open, and the number of accounts to delete again
 */
export async function fill(
  file: string,
  header: ArchiveHeader,
  to: Pick<Config, 'databaseUrl' | 'dataDir'>,
  { text, others, erased }: { text: string; others: readonly string[]; erased: readonly string[] },
): Promise<{ secrets: CheckedColumn[]; erasures: number }> {
  if (to.databaseUrl === undefined && existsSync(join(to.dataDir, 'db')))
    throw new ConfigError([`DATA_DIR: ${to.dataDir} has a database: restore into a new folder`]);
  // a new embedded database starts from an image with these migrations
  const db = await openDatabase({ ...to, log, migrations: migrationsOfBackup(header, migrations, version) });
  try {
    await restoreDatabase(file, header, { db, migrations, version, ledgerSums: readLedgerSums });
    const [fault] = await checkLedger(db);
    if (fault) throw new Error(`the ledger of the backup does not add up: ${fault.fault}`);
    const erasures = await repeatErasures(db.query, erased);
    return { secrets: await checkSecrets(db.query, createVault(text, others)), erasures };
  } finally {
    await db.close();
  }
}
