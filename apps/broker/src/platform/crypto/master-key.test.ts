import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { deriveKey, readMasterKey } from './master-key.ts';
import { createVault } from './vault.ts';

describe('the master key', () => {
  let dataDir = '';
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'souk-key-'));
  });
  afterEach(() => rmSync(dataDir, { recursive: true }));

  test('[CFG-15] without configuration it is a 0600 file beside the database folder, made once', () => {
    const folder = join(dataDir, 'new');
    const key = readMasterKey({ masterKey: undefined, dataDir: folder });
    expect(readMasterKey({ masterKey: undefined, dataDir: folder })).toBe(key);
    expect(readdirSync(folder)).toEqual(['master.key']);
    expect(statSync(join(folder, 'master.key')).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(() => createVault(key)).not.toThrow();
  });

  test('[CFG-14] a configured key is used, and no file is made', () => {
    expect(readMasterKey({ masterKey: `${'A'.repeat(43)}=`, dataDir })).toBe('A'.repeat(43));
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

  test('keys for different purposes differ, and each is always the same', () => {
    const key = 'A'.repeat(43);
    expect(deriveKey(key, 'cookies')).toEqual(deriveKey(key, 'cookies'));
    expect(deriveKey(key, 'cookies')).not.toEqual(deriveKey(key, 'subjects'));
    expect(deriveKey(key, 'cookies')).toHaveLength(32);
  });
});
