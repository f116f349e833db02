import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryRoot } from '#testing/databases.ts';
import { copyImage, ensureStartImage } from './start-image.ts';

test('an image can be read by everyone, as by a broker that runs as another user, and written by its owner alone', async () => {
  const image = await ensureStartImage(join(temporaryRoot(), 'start-image'), []);
  const entries = await readdir(image, { recursive: true, withFileTypes: true });
  const modes = await Promise.all(
    entries.map(async (entry) => {
      const { mode } = await stat(join(entry.parentPath, entry.name));
      return `${entry.isFile() ? 'file' : 'folder'} ${(mode & 0o777).toString(8)}`;
    }),
  );
  expect([...new Set(modes)].sort()).toEqual(['file 644', 'folder 755']);

  // the database that is made of it is for the broker's user alone
  const folder = join(temporaryRoot(), 'copied');
  await copyImage(image, folder);
  expect(((await stat(folder)).mode & 0o777).toString(8)).toBe('700');
});
