import { statSync } from 'node:fs';
import { namesIn } from './process-family.ts';

/** Deleted files that processes still have open. */
export type UnlinkedFiles = {
  diskBytes: number;
  /** Files in memory: memfd, and deleted files of an in-memory file system. */
  memoryBytes: number;
  /** Whether there are more open files than the limit. */
  isTooMany: boolean;
};

/** Measures the deleted files that processes still have open. @param disk device of the folders that count as disk */
export function unlinkedFilesOf(pids: readonly number[], disk: number, maxOpenFiles: number): UnlinkedFiles {
  const found: UnlinkedFiles = { diskBytes: 0, memoryBytes: 0, isTooMany: false };
  const seen = new Set<string>();
  let open = 0;
  for (const pid of pids) {
    const names = namesIn(`/proc/${pid}/fd`);
    open += names.length;
    if (open > maxOpenFiles) return { ...found, isTooMany: true };
    for (const name of names) {
      const file = statOf(`/proc/${pid}/fd/${name}`);
      if (!file?.isFile() || file.nlink > 0 || seen.has(`${file.dev}/${file.ino}`)) continue;
      seen.add(`${file.dev}/${file.ino}`);
      if (file.dev === disk) found.diskBytes += file.blocks * 512;
      else found.memoryBytes += file.blocks * 512;
    }
  }
  return found;
}

function statOf(path: string) {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}
