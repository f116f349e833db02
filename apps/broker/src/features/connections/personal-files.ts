import { readdir, rm, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { AccountContributor } from '#features/identity/index.ts';

/** What programs of ours wrote for one person, each in a folder of its own (upstream-target.ts). */
export function personalFilesContributor({ dataDir }: { dataDir: string }): AccountContributor {
  const folderOf = (userId: string) => join(dataDir, 'people', userId);
  return {
    name: 'files',
    async export(userId) {
      const folder = folderOf(userId);
      const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
      const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
      return Promise.all(files.map(async (path) => ({ path: relative(folder, path), bytes: (await stat(path)).size })));
    },
    erase: () => Promise.resolve(),
    afterErase: (userId) => rm(folderOf(userId), { recursive: true, force: true }),
  };
}
