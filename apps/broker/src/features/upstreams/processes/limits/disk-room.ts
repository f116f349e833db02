import { statfs } from 'node:fs/promises';
import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import type { Log } from '#platform/log.ts';
import { inMegabytes } from './program-limits.ts';

/** Whether the disk has the room that the embedded database needs. */
export type DiskRoom = {
  /** Asks the machine, and logs when there is no room any more, or again. `reason`: why no program may run now. */
  check(): Promise<{ freeBytes: number; reason: UpstreamError | undefined }>;
};

export function createDiskRoom(options: { dataDir: string; freeDiskBytes: number; log: Log }): DiskRoom {
  const { dataDir, freeDiskBytes, log } = options;
  let isLow = false;
  return {
    async check() {
      const { bavail, bsize } = await statfs(dataDir);
      const wasLow = isLow;
      const freeBytes = bavail * bsize;
      isLow = freeBytes < freeDiskBytes;
      const state = `${inMegabytes(freeBytes)} of the disk of the data folder are free`;
      if (isLow && !wasLow) log.error(`programs (stdio servers) are stopped: ${state}, fewer than FREE_DISK_MB`);
      if (!isLow && wasLow) log.warn(`programs (stdio servers) may run again: ${state}`);
      return { freeBytes, reason: isLow ? new UpstreamError('disk_full', state) : undefined };
    },
  };
}
