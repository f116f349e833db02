import { hkdfSync, randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Database } from '../db/database.ts';
import { appliedNames } from '../db/product-versions.ts';
import { ConfigError, type Config } from '../config.ts';
import { syncPathNow } from '../sync-path.ts';
import { codeOf } from '../thrown.ts';
import { weaknessOf } from './weak-master-key.ts';

/** 32 bytes in base64url, as in MASTER_KEY. */
const keyPattern = /^[A-Za-z0-9_-]{43}$/;

/**
 * Returns the key that encrypts stored secrets: the configuration's, else `master.key` in the data folder, which is created
 * at the first call, readable by its owner only. It is outside the database's folder, so that a copy of that folder has no key.
 * @returns 32 bytes in base64url
 * @throws ConfigError if the file is readable by others, cannot be read, or does not contain a key
 */
export function readMasterKey({ masterKey, dataDir }: Pick<Config, 'masterKey' | 'dataDir'>): string {
  if (masterKey !== undefined) return masterKey.replace(/=$/, '');
  const path = pathOf(dataDir);
  const mode = modeOf(path) ?? createKeyFile(path, dataDir);
  const key = readKey(path);
  const problems: string[] = [];
  if ((mode & 0o077) !== 0)
    problems.push(`MASTER_KEY: ${path} can be read by others: restrict it with chmod 600 ${path}`);
  if (!keyPattern.test(key)) {
    problems.push(
      `MASTER_KEY: ${path} does not contain a master key (32 bytes in base64url): restore the file from a backup`,
    );
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return key;
}

/**
 * Returns the key at a start. It only creates one if there is no data yet, since a new key would not open existing secrets.
 * @param db PostgreSQL, if used; undefined for the embedded database, which is not open yet
 * @throws ConfigError, also if the key of existing data is missing, or if new data would get a key that can be guessed
 */
export async function openMasterKey(
  config: Pick<Config, 'masterKey' | 'dataDir'>,
  db: Pick<Database, 'query'> | undefined,
): Promise<string> {
  const problem = await missingKeyProblem(config, db);
  if (problem !== undefined) throw new ConfigError([problem]);
  const key = readMasterKey(config);
  const weakness = weaknessOf(key);
  // existing secrets open with no other key, so a weak one is accepted for them
  if (weakness !== undefined && !(await hasData(config, db))) throw new ConfigError([weakness]);
  return key;
}

export const hasEmbeddedData = (dataDir: string): boolean => existsSync(join(dataDir, 'db'));

async function hasData(
  { dataDir }: Pick<Config, 'dataDir'>,
  db: Pick<Database, 'query'> | undefined,
): Promise<boolean> {
  return db ? (await appliedNames(db)).size > 0 : hasEmbeddedData(dataDir);
}

/** Says what to do if the key of existing data is missing. */
export async function missingKeyProblem(
  config: Pick<Config, 'masterKey' | 'dataDir'>,
  db: Pick<Database, 'query'> | undefined,
): Promise<string | undefined> {
  const { masterKey, dataDir } = config;
  const isMissing = () => masterKey === undefined && !hasMasterKey(dataDir);
  // checked again: of several concurrent first starts, one creates the key and only then the tables
  if (!isMissing() || !(await hasData(config, db)) || !isMissing()) return undefined;
  const place = db === undefined ? join(dataDir, 'db') : 'DATABASE_URL';
  return (
    `MASTER_KEY is not set and ${pathOf(dataDir)} is missing, but the secrets of the database (${place}) were encrypted with a master key. ` +
    'Restore master.key from a backup of DATA_DIR, or set MASTER_KEY (or MASTER_KEY_FILE) to the same key as before; no new key was made'
  );
}

function readKey(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    const code = codeOf(error) ?? String(error);
    if (code === 'EISDIR') {
      const remedy = 'restore the file from a backup of DATA_DIR';
      throw new ConfigError([`MASTER_KEY: ${path} is a folder, not a key file: ${remedy}`]);
    }
    throw new ConfigError([`MASTER_KEY: ${path} cannot be read (${code}): start as the user who owns it`]);
  }
}

export const hasMasterKey = (dataDir: string): boolean => modeOf(pathOf(dataDir)) !== undefined;

const pathOf = (dataDir: string) => join(dataDir, 'master.key');

/** Derives a key of 32 bytes for one purpose from the master key (HKDF, RFC 5869), which it does not reveal. */
export function deriveKey(masterKey: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', Buffer.from(masterKey, 'base64url'), '', `souk ${purpose}`, 32));
}

/** Writes the file completely before naming it. If another process was first, link() fails, and that key is used. */
function createKeyFile(path: string, dataDir: string): number {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}-${randomBytes(4).toString('hex')}`;
  const file = openSync(draft, 'wx', 0o600);
  try {
    writeSync(file, `${randomBytes(32).toString('base64url')}\n`);
    fsyncSync(file);
    linkSync(draft, path);
  } catch (error) {
    if (modeOf(path) === undefined) throw error;
  } finally {
    closeSync(file);
    unlinkSync(draft);
  }
  syncPathNow(dataDir); // if a power failure took the key, every secret sealed under it would be lost
  return statSync(path).mode;
}

function modeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mode;
}
