import { mkdirSync } from 'node:fs';
import { readdir, rename, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '#platform/clock.ts';
import type { Log } from '#platform/log.ts';
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

/** The folder of processes that belong to no user; the name has been on disk since the first version. */
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

/**
 * Moves the folders of earlier versions, `people/{user id}/{server}`, to their new place. Does nothing where there are
 * none. A folder that cannot be moved stays, is logged, and is tried again at the next start.
 */
export async function moveOldFolders(place: FolderPlace, { clock, log }: { clock: Clock; log: Log }): Promise<void> {
  await moveAll(place, clock).catch((error: unknown) =>
    log.error({ err: error }, "people's files of an earlier version could not be moved"),
  );
}

async function moveAll(place: FolderPlace, clock: Clock): Promise<void> {
  const folders = createPersonalFolders(place);
  const old = join(place.dataDir, 'people');
  for (const person of await namesIn(old)) {
    for (const serverId of await namesIn(join(old, person))) {
      const folder = folders.open(serverId, person === sharedFolder ? undefined : person);
      await moveInto(folder, join(old, person, serverId), clock);
    }
    await rmdir(join(old, person));
  }
  await rmdir(old).catch(ignoreMissing);
}

/** If an earlier version ran again meanwhile, there are two folders: the older one is kept inside the other. */
async function moveInto(folder: string, from: string, clock: Clock): Promise<void> {
  const isEmpty = (await readdir(folder)).length === 0;
  await (isEmpty ? rename(from, folder) : rename(from, join(folder, `earlier-${clock.now()}`)));
}

async function namesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(ignoreMissing);
  return (entries ?? []).filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

function ignoreMissing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
  throw error;
}
