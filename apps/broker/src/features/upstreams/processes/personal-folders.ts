import { mkdirSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProgramOwner } from './limits/program-watch.ts';
import { pseudonymOf } from '../pool/pseudonym.ts';

/**
 * Where programs write files for a person: `files/{server}/{pseudonym}` in the data folder. A program can read its own
 * path in its arguments and environment, so the path must not reveal the person.
 */
export type PersonalFolders = {
  /** Makes the folder of one person at a server; undefined: of a shared process, or of one that is only discovered. */
  open(serverId: string, userId: string | undefined): string;
  /** Who is charged for what a process takes: the person for all their processes, or a process that people share for its own. */
  ownerOf(serverId: string, userId: string | undefined): ProgramOwner;
  /** Where a person may have files: at every server that ever ran here, in the catalogue or not. */
  ofPerson(userId: string): Promise<{ serverId: string; folder: string }[]>;
};

export type FolderPlace = { dataDir: string; subjectKey: Uint8Array };

/** The folder of processes that belong to no user. */
const sharedFolder = 'nobody';

export function createPersonalFolders({ dataDir, subjectKey }: FolderPlace): PersonalFolders {
  const root = join(dataDir, 'files');
  const folderOf = (serverId: string, userId: string | undefined) =>
    join(root, serverId, userId === undefined ? sharedFolder : pseudonymOf(userId, serverId, subjectKey));
  const ofPerson = async (userId: string) =>
    (await namesIn(root)).map((serverId) => ({ serverId, folder: folderOf(serverId, userId) }));
  return {
    open(serverId, userId) {
      const folder = folderOf(serverId, userId);
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      return folder;
    },
    ownerOf(serverId, userId) {
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
