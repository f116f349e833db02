import { hkdfSync, randomBytes } from 'node:crypto';
import {
  closeSync,
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
import type { Config } from '../config.ts';

/** 32 bytes in base64url, as MASTER_KEY carries them. */
const keyPattern = /^[A-Za-z0-9_-]{43}$/;

/**
 * The key that encrypts stored secrets: the configuration's, else `master.key` in the data folder, which is made at the first
 * call and readable by its owner only. It is beside the database's folder, so that a backup of that does not contain it.
 * @returns 32 bytes in base64url
 * @throws Error when the file is readable by others or does not contain a key
 */
export function readMasterKey({ masterKey, dataDir }: Pick<Config, 'masterKey' | 'dataDir'>): string {
  if (masterKey !== undefined) return masterKey.replace(/=$/, '');
  const path = pathOf(dataDir);
  const mode = modeOf(path) ?? createKeyFile(path, dataDir);
  if ((mode & 0o077) !== 0) throw new Error(`${path} can be read by others: restrict it with chmod 600 ${path}`);
  const key = readFileSync(path, 'utf8').trim();
  if (!keyPattern.test(key)) throw new Error(`${path} does not contain a master key (32 bytes in base64url)`);
  return key;
}

/** Whether the data folder has a key of its own already. */
export const hasMasterKey = (dataDir: string): boolean => modeOf(pathOf(dataDir)) !== undefined;

const pathOf = (dataDir: string) => join(dataDir, 'master.key');

/** A key of 32 bytes for one purpose, derived from the master key (HKDF, RFC 5869), which it does not reveal. */
export function deriveKey(masterKey: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', Buffer.from(masterKey, 'base64url'), '', `souk ${purpose}`, 32));
}

/** Writes the whole file before it has its name: link() fails when another process was first, whose key then counts. */
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
  syncFolder(dataDir); // if a power failure took the key, every secret sealed under it would be lost
  return statSync(path).mode;
}

function modeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mode;
}

function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
