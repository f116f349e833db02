import { existsSync } from 'node:fs';
import type { KeptFiles } from '@souk/contract/upstreams.ts';
import type { Catalogue, CatalogueServer } from '#features/catalogue/index.ts';
import { isProgram } from '../pool/connection-key.ts';
import type { UpstreamPool } from '../pool/upstream-pool.ts';
import { isPerUser } from '../pool/upstream-target.ts';
import { createPersonalFolders, type FolderPlace } from './personal-folders.ts';
import type { ProgramWatch } from './limits/program-watch.ts';
import { removeTree } from './remove-tree.ts';

/** Lists and deletes the files that programs keep for a person, who makes room once they take more than they may. */
export type PersonFiles = {
  /** Whether a server's program keeps files of its own for each person. */
  isKeptBy(server: CatalogueServer): boolean;
  /** The files of a person at all servers, those of today and earlier ones. */
  list(userId: string): Promise<KeptFiles>;
  /** Ends the person's program of a server and deletes its files. @returns false where it has none */
  remove(userId: string, serverId: string): Promise<boolean>;
};

export function createPersonFiles({
  catalogue,
  pool,
  programWatch,
  ...place
}: FolderPlace & {
  catalogue: Pick<Catalogue, 'snapshot'>;
  pool: Pick<UpstreamPool, 'drop'>;
  programWatch: ProgramWatch;
}): PersonFiles {
  const folders = createPersonalFolders(place);
  const isKeptBy = (server: CatalogueServer) => isProgram(server) && isPerUser(server);
  const find = (serverId: string) => catalogue.snapshot().byId.get(serverId);
  return {
    isKeptBy,
    async list(userId) {
      const { bytes, byFolder } = await programWatch.sizeOf(folders.ownerOf('', userId));
      const servers = (await folders.ofPerson(userId)).flatMap(({ serverId, folder }) => {
        const name = find(serverId)?.manifest.name ?? serverId;
        const size = byFolder.get(folder) ?? 0;
        return size > 0 ? [{ serverId, name, bytes: finite(size) }] : [];
      });
      return { totalBytes: finite(bytes), allowedBytes: programWatch.allowedBytes, servers };
    },
    async remove(userId, serverId) {
      const kept = (await folders.ofPerson(userId)).find((each) => each.serverId === serverId);
      if (!kept || !existsSync(kept.folder)) return false;
      const end = async () => {
        const server = find(serverId);
        // what people share is not ended for one of them
        if (server && isKeptBy(server)) await pool.drop(server, userId);
      };
      await end();
      await removeTree(kept.folder);
      // a call that came meanwhile started it in the folder that is gone
      await end();
      programWatch.forget(folders.ownerOf(serverId, userId).key);
      return true;
    },
  };
}

/** Of files that cannot be counted: JSON has no infinity. */
function finite(bytes: number): number {
  return Math.min(bytes, Number.MAX_SAFE_INTEGER);
}
