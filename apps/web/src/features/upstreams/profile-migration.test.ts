import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { profileMigrationText } from './toggle-texts.ts';

const root = join(import.meta.dirname, '../../../../..');
const text = 'Profile migration required';

test('[TOG-26] no source of the broker contains the text that the web maps', async () => {
  expect(profileMigrationText(text)).not.toBe(text);
  const holders: string[] = [];
  let read = 0;
  for (const folder of ['apps/broker/src', 'packages/contract/src']) {
    for (const entry of await readdir(join(root, folder), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !/\.(ts|json)$/.test(entry.name) || entry.name.endsWith('.test.ts')) continue;
      read += 1;
      const path = join(entry.parentPath, entry.name);
      if ((await readFile(path, 'utf8')).toLowerCase().includes(text.toLowerCase())) holders.push(path);
    }
  }
  expect(read).toBeGreaterThan(100);
  expect(holders).toEqual([]);
});
