import { statfsSync, statSync } from 'node:fs';
import { maxScratchBytes, scratchFolders } from '#adapters/mcp/transports/sandbox.ts';
import { textOf } from './process-family.ts';

/** Of each process its own: pages of files, such as its program, can be dropped at any time. */
const own = ['RssAnon', 'RssShmem', 'VmSwap'] as const;
/** The same without counting what processes share more than once. Reading it takes longer. */
const ownShare = ['Pss_Anon', 'Pss_Shmem', 'SwapPss'] as const;
/** An empty file takes so much of the kernel's memory. */
const bytesOfInode = 1024;

/**
 * The memory that processes take.
 * @param enough an answer up to this need not be exact: what processes share may be counted for each
 */
export function memoryOf(pids: readonly number[], enough: number): number {
  const most = sum(pids, (pid) => fieldsOf(`/proc/${pid}/status`, own) ?? 0);
  if (most <= enough) return most;
  return sum(
    pids,
    (pid) => fieldsOf(`/proc/${pid}/smaps_rollup`, ownShare) ?? fieldsOf(`/proc/${pid}/status`, own) ?? 0,
  );
}

/**
 * What a sandbox's file systems in memory hold, seen through one of its processes; 0 for one outside of a sandbox. While
 * bubblewrap makes the sandbox, the same path can lead to one of the machine's file systems, which are larger.
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

/** The sum of these fields in bytes; undefined where the file has none of them. */
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
