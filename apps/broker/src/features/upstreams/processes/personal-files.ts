import { readdir, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { AccountContributor } from '#features/identity/index.ts';
import { createPersonalFolders, type FolderPlace } from './personal-folders.ts';
import { removeTree } from './remove-tree.ts';
import type { UpstreamPool } from '../pool/upstream-pool.ts';

/** The files that programs wrote for one person. `pool` runs the programs: they are ended before their files are deleted. */
export function personalFilesContributor({
  pool,
  ...place
}: FolderPlace & { pool: Pick<UpstreamPool, 'dropPerson'> }): AccountContributor {
  const folders = createPersonalFolders(place);
  return {
    name: 'files',
    async export(userId) {
      const ofServers = (await folders.ofPerson(userId)).map(async ({ serverId, folder }) => {
        const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
        const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
        return Promise.all(
          files.map(async (path) => ({
            path: join(serverId, relative(folder, path)),
            bytes: (await stat(path)).size,
          })),
        );
      });
      return (await Promise.all(ofServers)).flat();
    },
    erase: () => Promise.resolve(),
    async afterErase(userId) {
      await pool.dropPerson(userId);
      for (const { folder } of await folders.ofPerson(userId)) await removeTree(folder);
    },
  };
}
