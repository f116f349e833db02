import { readFileSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { z } from 'zod';
import { readConfig, ConfigError, type Config } from '#platform/config.ts';
import { masterKeyIdOf, createVault } from '#platform/crypto/vault.ts';
import { openMasterKey } from '#platform/crypto/master-key.ts';
import { rotateMasterKey } from '#platform/crypto/rotate-master-key.ts';
import { weaknessOf } from '#platform/crypto/weak-master-key.ts';
import type { ResealedColumn } from '#platform/crypto/reseal-column.ts';
import { appliedNames } from '#platform/db/product-versions.ts';
import { openDatabase } from '#platform/db/open-database.ts';
import { createLog } from '#platform/log.ts';
import { callOperator, NotRunningError } from '#platform/operator/call-operator.ts';
import { migrations } from '../../../migrations.ts';
import { required, ReportedError, UsageError, type CliOptions, type Values } from '../command.ts';

const timeoutMs = 60 * 60_000;
const columnsSchema = z.array(z.object({ name: z.string(), resealed: z.int(), unreadable: z.int() }));

export async function rotateKey(values: Values, { environment, stdout, stderr }: CliOptions): Promise<void> {
  const next = readNewKey(required(values, 'new', 'rotate-key'));
  const config = readConfig(environment);
  const columns = await rotate(config, next, stderr);
  for (const { name, resealed } of columns) if (resealed > 0) stdout(`${name}: ${resealed} rewritten`);
  const lost = columns.filter(({ unreadable }) => unreadable > 0);
  for (const { name, unreadable } of lost)
    stderr(`${name}: ${unreadable} secrets open with neither key, and stay as they are`);
  stdout(`Every secret that can be read is encrypted with the key with the id ${masterKeyIdOf(next)}.`);
  stdout('At each broker, set MASTER_KEY (or its file) to the new key, remove MASTER_KEY_NEXT, and restart it.');
  stdout('Keep the former key as long as you keep backups from before the rotation.');
  if (lost.length > 0) throw new ReportedError();
}

/** @throws UsageError for a file that is missing, readable by others, or without a safe key */
function readNewKey(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found?.isFile()) throw new UsageError(`--new: ${path} is not a file`);
  if ((found.mode & 0o077) !== 0)
    throw new UsageError(`--new: ${path} can be read by others: restrict it with chmod 600 ${path}`);
  const key = readFileSync(path, 'utf8').trim().replace(/=$/, '');
  if (!/^[A-Za-z0-9_-]{43}$/.test(key))
    throw new UsageError(`--new: ${path} does not contain a master key (32 bytes in base64url)`);
  const weakness = weaknessOf(key);
  if (weakness !== undefined) throw new UsageError(`--new: ${weakness}`);
  return key;
}

async function rotate(config: Config, next: string, onProgress: (line: string) => void): Promise<ResealedColumn[]> {
  const nextId = masterKeyIdOf(next);
  const operator = userInfo().username;
  if (config.databaseUrl === undefined) {
    try {
      return columnsSchema.parse(await callOperator(config.dataDir, 'key.rotate', { nextId, operator }, timeoutMs));
    } catch (error) {
      if (!(error instanceof NotRunningError)) throw error;
    }
  }
  const db = await openDatabase({ ...config, log: createLog('error'), migrations });
  try {
    const applied = await appliedNames(db);
    if (migrations.some(({ name }) => !applied.has(name)))
      throw new ConfigError(['the database has an earlier version: start this version once, then rotate the key']);
    const former = await openMasterKey(config, db);
    const formerId = masterKeyIdOf(former);
    if (formerId === nextId) throw new UsageError('--new: this key is already in use');
    return await rotateMasterKey({ db, keys: createVault(former, [next]), formerId, nextId, operator, onProgress });
  } finally {
    await db.close();
  }
}
