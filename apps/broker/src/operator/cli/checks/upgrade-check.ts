import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { readHeader } from '#platform/backup/read-archive.ts';
import { readConfig, type Config } from '#platform/config.ts';
import { sayUnreadable } from '#platform/crypto/check-secrets.ts';
import { appliedNames, refuseNewer } from '#platform/db/product-versions.ts';
import { migrations } from '../../../migrations.ts';
import { version } from '../../../version.ts';
import { ReportedError, UsageError, type CliOptions, type Values } from '../command.ts';
import { fill, keyOf } from '../backup/restore-backup.ts';
import { takeBackupOf } from '../backup/take-backup.ts';

/** Runs `souk upgrade --check`: upgrades a copy of the database as a start of this version would. */
export async function checkUpgrade(values: Values, { environment, stdout, stderr }: CliOptions): Promise<void> {
  if (values['check'] !== true)
    throw new UsageError('Souk upgrades the database when it starts. To check that: npm run souk -- upgrade --check');
  const config = readConfig(environment);
  const known = new Set(migrations.map(({ name }) => name));
  const folder = await mkdtemp(join(tmpdir(), 'souk-upgrade-'));
  try {
    const file = join(folder, 'copy.tar.zst');
    await takeBackupOf(config, file, {
      withKey: false,
      refuses: async (db) => refuseNewer(db, { applied: await appliedNames(db), known, version }),
    });
    const header = await readHeader(file);
    const keys = { ...(await keyOf(file, header, config)), erased: [] };
    const waiting = migrations.filter(({ name }) => !header.migrations.includes(name));
    const beganMs = performance.now();
    const { secrets } = await onCopy(config, folder, (to) => fill(file, header, to, keys));
    const seconds = ((performance.now() - beganMs) / 1000).toFixed(1);
    stdout(`Pending migrations of Souk ${version}: ${waiting.length}`);
    for (const { name } of waiting) stdout(`  ${name}`);
    stdout(
      `A copy of ${header.tables.reduce((sum, { rows }) => sum + rows, 0)} rows was filled and upgraded in ${seconds} s`,
    );
    stdout('The row counts of all tables and the sums of the ledger are unchanged, and no account differs');
    stdout(`${secrets.reduce((sum, one) => sum + one.secrets - one.unreadable, 0)} secrets open with this key`);
    const unreadable = sayUnreadable(secrets);
    for (const line of unreadable) stderr(line);
    if (unreadable.length > 0) throw new ReportedError();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Makes the copy in another database of the same PostgreSQL, or as an embedded database in a temporary folder. */
async function onCopy<T>(
  { databaseUrl }: Config,
  dataDir: string,
  work: (to: Pick<Config, 'databaseUrl' | 'dataDir'>) => Promise<T>,
): Promise<T> {
  if (databaseUrl === undefined) return work({ databaseUrl, dataDir });
  const name = `souk_upgrade_check_${randomBytes(6).toString('hex')}`;
  const copy = new URL(databaseUrl);
  copy.pathname = `/${name}`;
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(`create database ${name}`);
    try {
      return await work({ databaseUrl: copy.href, dataDir });
    } finally {
      await client.query(`drop database if exists ${name} with (force)`);
    }
  } finally {
    await client.end();
  }
}
