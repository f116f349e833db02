import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createPostgresDatabase, describeOnPostgres } from '#testing/databases/databases.ts';
import { startTestApp } from '#testing/start-app.ts';
import { migrations } from '../../migrations.ts';
import { ConfigError } from '../config.ts';
import { deriveKey, openMasterKey, readMasterKey } from './master-key.ts';
import { createVault } from './vault.ts';
import { openDatabase } from '../db/open-database.ts';
import { createLog } from '../log.ts';

describe('the master key', () => {
  let dataDir = '';
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'souk-key-'));
  });
  afterEach(() => rmSync(dataDir, { recursive: true }));

  test('[CFG-15] without configuration it is a 0600 file next to the database folder, created once', () => {
    const folder = join(dataDir, 'new');
    const key = readMasterKey({ masterKey: undefined, dataDir: folder });
    expect(readMasterKey({ masterKey: undefined, dataDir: folder })).toBe(key);
    expect(readdirSync(folder)).toEqual(['master.key']);
    expect(statSync(join(folder, 'master.key')).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(() => createVault(key)).not.toThrow();
  });

  test('[CFG-14] a configured key is used, and no file is created', () => {
    const key = randomBytes(32).toString('base64url');
    expect(readMasterKey({ masterKey: `${key}=`, dataDir })).toBe(key);
    expect(existsSync(join(dataDir, 'master.key'))).toBe(false);
  });

  test('a file that others may read is refused with the remedy', () => {
    readMasterKey({ masterKey: undefined, dataDir });
    chmodSync(join(dataDir, 'master.key'), 0o644);
    expect(() => readMasterKey({ masterKey: undefined, dataDir })).toThrow(/chmod 600/);
  });

  test('a file without a key is refused, not replaced', () => {
    writeFileSync(join(dataDir, 'master.key'), 'oops\n', { mode: 0o600 });
    expect(() => readMasterKey({ masterKey: undefined, dataDir })).toThrow(/does not contain a master key/);
  });

  test('a folder in its place is named, and two faults are reported together', () => {
    mkdirSync(join(dataDir, 'master.key'));
    expect(() => readMasterKey({ masterKey: undefined, dataDir })).toThrow(
      `${join(dataDir, 'master.key')} is a folder, not a key file`,
    );
    rmSync(join(dataDir, 'master.key'), { recursive: true });
    writeFileSync(join(dataDir, 'master.key'), '', { mode: 0o644 });
    expect(() => readMasterKey({ masterKey: undefined, dataDir })).toThrow(
      /chmod 600[^]*does not contain a master key/,
    );
  });

  test('existing data without its key is refused, and no new key is created', async () => {
    await expect(openMasterKey({ masterKey: undefined, dataDir }, undefined)).resolves.toMatch(/^[\w-]{43}$/);
    rmSync(join(dataDir, 'master.key'));
    mkdirSync(join(dataDir, 'db'));
    const lost = openMasterKey({ masterKey: undefined, dataDir }, undefined);
    await expect(lost).rejects.toBeInstanceOf(ConfigError);
    await expect(lost).rejects.toThrow(
      `${join(dataDir, 'master.key')} is missing, but the secrets of the database (${join(dataDir, 'db')}) were encrypted`,
    );
    expect(readdirSync(dataDir)).toEqual(['db']);
    const masterKey = randomBytes(32).toString('base64url');
    await expect(openMasterKey({ masterKey, dataDir }, undefined)).resolves.toBe(masterKey);
  });

  test('a guessable key is refused for new data, and opens existing data', async () => {
    const masterKey = 'A'.repeat(43);
    const begun = openMasterKey({ masterKey, dataDir }, undefined);
    await expect(begun).rejects.toBeInstanceOf(ConfigError);
    await expect(begun).rejects.toThrow(
      'MASTER_KEY can be guessed: it repeats a few characters. Make one with: node -p',
    );
    mkdirSync(join(dataDir, 'db'));
    await expect(openMasterKey({ masterKey, dataDir }, undefined)).resolves.toBe(masterKey);
  });

  test('keys for different purposes differ, and each is always the same', () => {
    const key = randomBytes(32).toString('base64url');
    expect(deriveKey(key, 'cookies')).toEqual(deriveKey(key, 'cookies'));
    expect(deriveKey(key, 'cookies')).not.toEqual(deriveKey(key, 'subjects'));
    expect(deriveKey(key, 'cookies')).toHaveLength(32);
  });
});

describeOnPostgres('the master key of a database elsewhere', migrations, (open) => {
  test('a lost data folder is refused as long as the database has data', async () => {
    const lost = startTestApp({ db: await open(), env: { MASTER_KEY: '' } });
    await expect(lost).rejects.toBeInstanceOf(ConfigError);
    await expect(lost).rejects.toThrow(
      /master\.key is missing, but the secrets of the database \(DATABASE_URL\) were encrypted with a master key\. Restore master\.key from a backup of DATA_DIR, or set MASTER_KEY/,
    );
  });

  test('a guessable key is refused for a new database; with an existing one the broker starts, and logs a warning', async () => {
    const env = { MASTER_KEY: 'A'.repeat(43) };
    const databaseUrl = await createPostgresDatabase();
    const empty = await openDatabase({ databaseUrl, dataDir: '', log: createLog('fatal') });
    await expect(startTestApp({ db: empty, env })).rejects.toThrow('MASTER_KEY can be guessed');
    await empty.close();
    const running = await startTestApp({ db: await open(), env: { ...env, LOG_LEVEL: 'warn' } });
    expect(running.logged()).toContain('MASTER_KEY can be guessed: it repeats a few characters');
    expect(running.logged()).toContain('only this key opens the secrets of the existing data');
    await running.stop();
  });
});
