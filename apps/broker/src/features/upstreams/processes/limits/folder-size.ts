import { chmodSync, lstatSync, opendirSync, type Dir } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { bytesOfEntry } from './program-limits.ts';

/** So that a walk holds the event loop for about a millisecond. */
const entriesPerTurn = 128;

/** `busyMs`: for how long counting held the event loop. `byFolder`: of those given, as far as it was counted. */
export type FolderSize = { bytes: number; busyMs: number; byFolder: ReadonlyMap<string, number> };

/**
 * What folders take on the disk: of a file with holes what it really takes, of each entry at least `bytesOfEntry`.
 * Infinite where it cannot be told: a program can nest folders deeper than any path.
 * @param enough where to stop counting
 */
export async function sizeOfFolders(folders: readonly string[], enough: number): Promise<FolderSize> {
  const byFolder = new Map<string, number>();
  let bytes = 0;
  let busyMs = 0;
  let begunMs = performance.now();
  let entries = 0;
  for (const { root, size } of sizesIn(folders)) {
    bytes += size;
    byFolder.set(root, (byFolder.get(root) ?? 0) + size);
    if (bytes > enough) break;
    if (++entries % entriesPerTurn !== 0) continue;
    busyMs += performance.now() - begunMs;
    await nextTurn();
    begunMs = performance.now();
  }
  return { bytes, busyMs: busyMs + performance.now() - begunMs, byFolder };
}

/** The size of each entry, to any depth; nothing for a folder that is not there. */
function* sizesIn(folders: readonly string[]): Generator<{ root: string; size: number }> {
  const waiting = folders.map((root) => ({ root, folder: root }));
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { root, folder } = next;
    const opened = openFolder(folder);
    if (typeof opened !== 'object') {
      yield { root, size: opened === 'unreadable' ? Infinity : 0 };
      continue;
    }
    try {
      for (let entry = opened.readSync(); entry; entry = opened.readSync()) {
        const path = join(folder, entry.name);
        if (entry.isDirectory()) waiting.push({ root, folder: path });
        const found = lstatSync(path, { throwIfNoEntry: false });
        yield { root, size: Math.max((found?.blocks ?? 0) * 512, bytesOfEntry) };
      }
    } catch {
      yield { root, size: Infinity };
    } finally {
      opened.closeSync();
    }
  }
}

/** Undefined where it is not there. A program runs as our user and may have closed its folder: we open it again. */
function openFolder(folder: string): Dir | 'unreadable' | undefined {
  for (const mayTryAgain of [true, false]) {
    try {
      return opendirSync(folder);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
      if (code !== 'EACCES' || !mayTryAgain || !openAgain(folder)) break;
    }
  }
  return 'unreadable';
}

function openAgain(folder: string): boolean {
  try {
    chmodSync(folder, 0o700);
    return true;
  } catch {
    return false;
  }
}
