import { statfsSync, statSync } from 'node:fs';
import { maxScratchBytes, scratchFolders } from '#adapters/mcp/transports/sandbox.ts';
import { textOf } from './process-family.ts';

/**
 * Fields of a process's own memory. Pages of files, such as its program, are left out: the kernel can drop them at any
 * time.
 */
const own = ['RssAnon', 'RssShmem', 'VmSwap'] as const;
/** Fields of own memory in which shared pages count once. They take longer to read. */
const ownShare = ['Pss_Anon', 'Pss_Shmem', 'SwapPss'] as const;
/** Kernel memory of an empty file. */
const bytesOfInode = 1024;

/**
 * Returns the memory of processes, in bytes.
 * @param enough a result up to this may be too high, with shared pages counted for each process
 */
export function memoryOf(pids: readonly number[], enough: number): number {
  const upperBound = sum(pids, (pid) => fieldsOf(`/proc/${pid}/status`, own) ?? 0);
  if (upperBound <= enough) return upperBound;
  return sum(
    pids,
    (pid) => fieldsOf(`/proc/${pid}/smaps_rollup`, ownShare) ?? fieldsOf(`/proc/${pid}/status`, own) ?? 0,
  );
}

/**
 * Returns the size of a sandbox's in-memory file systems, seen through one of its processes; 0 for a process outside a
 * sandbox. While bubblewrap makes the sandbox, the same path can lead to one of the machine's file systems, which are
 * larger.
 */
export function scratchOf(pid: number): number {
  return sum(scratchFolders, (folder) => {
    try {
      const path = `/proc/${pid}/root${folder}`;
      if (statSync(path).dev === statSync(folder).dev) return 0;
      const { bsize, blocks, bfree, files, ffree } = statfsSync(path);
      if (blocks * bsize > maxScratchBytes) return 0;
      return (blocks - bfree) * bsize + (files - ffree) * bytesOfInode;
    } catch {
      return 0;
    }
  });
}

/** Returns the sum of these fields in bytes; undefined if the file has none of them. */
function fieldsOf(path: string, names: readonly string[]): number | undefined {
  const wanted = new Set(names);
  let total: number | undefined;
  for (const line of textOf(path).split('\n')) {
    const [name = '', value = ''] = line.split(':', 2);
    if (wanted.has(name)) total = (total ?? 0) + Number.parseInt(value) * 1024;
  }
  return total;
}

function sum<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
