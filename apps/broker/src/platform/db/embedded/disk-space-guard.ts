import { statfsSync } from 'node:fs';

/** What the log's next segments (16 MiB each), a checkpoint and the statements of one look need. */
export const neededBytes = 64 * 1024 * 1024;
/** More than `neededBytes`, so that a disk at the edge does not go to and fro. */
const enoughBytes = 80 * 1024 * 1024;
/** statfs takes some 10 µs and a statement hundreds: ten looks a second cost nothing that can be measured. */
const lookEveryMs = 100;

export type DiskSpace = { isFull: boolean; freeBytes: number };

/** Whether the disk of a folder has too little space for a database to write. */
export type DiskSpaceGuard = {
  /** The last look. */
  readonly space: DiskSpace;
  /** Looks, unless it has just looked. @returns the space when the disk has become full, or has space again */
  look(): DiskSpace | undefined;
};

export function createDiskSpaceGuard(
  folder: string,
  now: () => number = () => performance.now(),
  readFreeBytes: (folder: string) => number = freeBytesOf,
): DiskSpaceGuard {
  let lookedAt = -Infinity;
  let space: DiskSpace = { isFull: false, freeBytes: Infinity };
  return {
    get space() {
      return space;
    },
    look() {
      if (now() - lookedAt < lookEveryMs) return undefined;
      lookedAt = now();
      const wasFull = space.isFull;
      const freeBytes = readFreeBytes(folder);
      space = { isFull: freeBytes < (wasFull ? enoughBytes : neededBytes), freeBytes };
      return space.isFull === wasFull ? undefined : space;
    },
  };
}

/** Free for a user other than root; Infinity where the system does not say. */
export function freeBytesOf(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return Infinity; // a database that works must not stop because of the look
  }
}

/** One sentence for the operator. */
export function diskFullText(folder: string, freeBytes: number): string {
  const [free, needed] = [freeBytes, neededBytes].map((bytes) => Math.floor(bytes / 1024 / 1024));
  return `The disk of the database (${folder}) is full: it has ${free} MiB free and needs ${needed} MiB.`;
}
