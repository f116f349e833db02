import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { KeptFiles } from '@souk/contract/upstreams.ts';
import type { Catalogue, CatalogueServer } from '#features/catalogue/index.ts';
import type { AccountContributor } from '#features/identity/index.ts';
import { isProgram } from '../pool/connection-key.ts';
import type { UpstreamPool } from '../pool/upstream-pool.ts';
import { isPerUser } from '../pool/upstream-target.ts';
import { createPersonalFolders, type FolderPlace } from './personal-folders.ts';
import type { ProgramWatch } from './limits/program-watch.ts';
import { removeTree } from './remove-tree.ts';

/**
 * Lists and deletes the files that programs keep for a user, so that the user can free space when they exceed the
 * quota.
 */
export function createPersonFiles({
  catalogue,
  pool,
  programWatch,
  ...place
}: FolderPlace & {
  catalogue: Pick<Catalogue, 'snapshot'>;
  pool: Pick<UpstreamPool, 'drop'>;
  programWatch: ProgramWatch;
}) {
  const folders = createPersonalFolders(place);
  const isKeptBy = (server: CatalogueServer) => isProgram(server) && isPerUser(server);
  const find = (serverId: string) => catalogue.snapshot().byId.get(serverId);
  return {
    /** Whether a server's program keeps separate files for each user. */
    isKeptBy,
    /** Lists a user's files at all current and former servers. */
    async list(userId: string): Promise<KeptFiles> {
      const { bytes, byFolder } = await programWatch.sizeOf(folders.ownerOf('', userId));
      const servers = (await folders.ofPerson(userId)).flatMap(({ serverId, folder }) => {
        const name = find(serverId)?.manifest.name ?? serverId;
        const size = byFolder.get(folder) ?? 0;
        return size > 0 ? [{ serverId, name, bytes: finite(size) }] : [];
      });
      return { totalBytes: finite(bytes), allowedBytes: programWatch.allowedBytes, servers };
    },
    /** Ends the user's program of a server and deletes its files. @returns false if it has none */
    async remove(userId: string, serverId: string): Promise<boolean> {
      const kept = (await folders.ofPerson(userId)).find((each) => each.serverId === serverId);
      if (!kept || !existsSync(kept.folder)) return false;
      const end = async () => {
        const server = find(serverId);
        // a shared program is not ended for one user
        if (server && isKeptBy(server)) await pool.drop(server, userId);
      };
      await end();
      await removeTree(kept.folder);
      // a concurrent call may have restarted it in the deleted folder
      await end();
      programWatch.forget(folders.ownerOf(serverId, userId).key);
      return true;
    },
  };
}

export type PersonFiles = ReturnType<typeof createPersonFiles>;

/** Replaces the infinite size of unreadable folders, because JSON has no infinity. */
function finite(bytes: number): number {
  return Math.min(bytes, Number.MAX_SAFE_INTEGER);
}

/** Exports and erases the files that programs wrote for a user, whose programs in the `pool` are ended first. */
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
