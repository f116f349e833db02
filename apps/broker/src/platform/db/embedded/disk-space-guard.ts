import { statfsSync } from 'node:fs';

/** Space for the log's next segments (16 MiB each), a checkpoint, and the statements until the next check. */
export const neededBytes = 64 * 1024 * 1024;
/** More than `neededBytes`, so that a disk at the edge does not switch back and forth. */
const enoughBytes = 80 * 1024 * 1024;
/** statfs takes some 10 µs and a statement hundreds, so ten checks a second cost nothing measurable. */
const lookEveryMs = 100;

export type DiskSpace = { isFull: boolean; freeBytes: number };

/** Checks whether the disk of a folder has enough space for a database to write. */
export type DiskSpaceGuard = {
  /** The result of the last check. */
  readonly space: DiskSpace;
  /** Checks, unless it has just done so. @returns the space if the disk has become full, or has space again */
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

/** Returns the free space for a user other than root; Infinity if the system does not say. */
export function freeBytesOf(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return Infinity; // a failing check must not stop a working database
  }
}

export function diskFullText(folder: string, freeBytes: number): string {
  const [free, needed] = [freeBytes, neededBytes].map((bytes) => Math.floor(bytes / 1024 / 1024));
  return `The disk of the database (${folder}) is full: it has ${free} MiB free and needs ${needed} MiB.`;
}
