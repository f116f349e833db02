import { chmodSync, lstatSync, opendirSync, type Dir } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { bytesOfEntry } from './program-limits.ts';

/** Entries read before the event loop continues: about 1 ms. */
const entriesPerTurn = 128;

/** `busyMs`: time for which counting blocked the event loop. `byFolder`: sizes of the given folders, as far as counted. */
export type FolderSize = { bytes: number; busyMs: number; byFolder: ReadonlyMap<string, number> };

/**
 * Returns the disk usage of folders. A sparse file counts with its size on disk, and each entry with at least
 * `bytesOfEntry`. Infinite for unreadable folders: a program can nest folders deeper than the longest path.
 * @param enough size at which counting stops
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

/** Yields the size of each entry at any depth; 0 for a missing folder. */
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

/** Returns undefined for a missing folder. Restores permissions that a program removed, since it runs as our user. */
function openFolder(folder: string): Dir | 'unreadable' | undefined {
  for (const mayRetry of [true, false]) {
    try {
      return opendirSync(folder);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
      if (code !== 'EACCES' || !mayRetry || !restoreAccess(folder)) break;
    }
  }
  return 'unreadable';
}

function restoreAccess(folder: string): boolean {
  try {
    chmodSync(folder, 0o700);
    return true;
  } catch {
    return false;
  }
}
