import { mkdirSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProgramOwner } from './limits/program-watch.ts';
import { pseudonymOf } from '../pool/pseudonym.ts';

export type FolderPlace = { dataDir: string; subjectKey: Uint8Array };

const sharedFolder = 'nobody';

/**
 * Folders in which programs write files for a user: `files/{server}/{pseudonym}` in the data folder. A program sees the
 * path in its arguments and environment, so the path must not reveal the user.
 */
export function createPersonalFolders({ dataDir, subjectKey }: FolderPlace) {
  const root = join(dataDir, 'files');
  const folderOf = (serverId: string, userId: string | undefined) =>
    join(root, serverId, userId === undefined ? sharedFolder : pseudonymOf(userId, serverId, subjectKey));
  /** Lists the folders in which a user may have files: one per server that ever ran here, in the catalogue or not. */
  const ofPerson = async (userId: string) =>
    (await namesIn(root)).map((serverId) => ({ serverId, folder: folderOf(serverId, userId) }));
  return {
    /**
     * Creates the folder of a user at a server; for undefined, the folder of processes that are shared or started for
     * discovery.
     */
    open(serverId: string, userId: string | undefined): string {
      const folder = folderOf(serverId, userId);
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      return folder;
    },
    /** Returns who is charged for a process: the user for all their processes, or a shared process for itself. */
    ownerOf(serverId: string, userId: string | undefined): ProgramOwner {
      if (userId === undefined) {
        return {
          key: `server/${serverId}`,
          folders: async () => [folderOf(serverId, userId)],
          sharedFolder: join('files', serverId, sharedFolder),
        };
      }
      return {
        key: `person/${userId}`,
        folders: async () => (await ofPerson(userId)).map(({ folder }) => folder),
      };
    },
    ofPerson,
  };
}

async function namesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(ignoreMissing);
  return (entries ?? []).filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

function ignoreMissing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
  throw error;
}
