import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { temporaryRoot } from '#testing/databases/databases.ts';
import { dataFolderProblem, makeDataFolder } from './data-folder.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(temporaryRoot(), 'data-folder-'));
});
afterEach(() => rmSync(root, { recursive: true }));

test('the data folder is created with its parents, for its owner only; checking creates nothing', () => {
  const folder = join(root, 'a', 'b');
  expect(dataFolderProblem(folder)).toBeUndefined();
  expect(existsSync(join(root, 'a'))).toBe(false);
  makeDataFolder(folder);
  makeDataFolder(folder);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test('a file in the place of the folder, or of a parent, is named with the variable', () => {
  const file = join(root, 'file');
  writeFileSync(file, '');
  for (const folder of [file, join(file, 'data')]) {
    const problem = `DATA_DIR: ${file} is not a folder. Set DATA_DIR, now ${folder}, to a folder that the broker may write to`;
    expect(dataFolderProblem(folder)).toBe(problem);
    expect(() => makeDataFolder(folder)).toThrow(problem);
  }
});

test('a folder that cannot be created is named immediately, also if Node would try forever', () => {
  expect(() => makeDataFolder('/proc/souk/data')).toThrow(
    /^.*\n {2}- DATA_DIR: cannot create \/proc\/souk \(ENOENT\)\./,
  );
});
