import { statfs } from 'node:fs/promises';
import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import type { Log } from '#platform/log.ts';
import { inMegabytes } from './program-limits.ts';

/**
 * Reads the free space of the disk. `reason`: set if it is too little for programs, because the embedded database needs
 * it.
 */
export type CheckDisk = () => Promise<{ freeBytes: number; reason: UpstreamError | undefined }>;

/** Returns a check that logs when the free space becomes too little, and when it is enough again. */
export function createDiskCheck(options: { dataDir: string; freeDiskBytes: number; log: Log }): CheckDisk {
  const { dataDir, freeDiskBytes, log } = options;
  let isLow = false;
  return async () => {
    const { bavail, bsize } = await statfs(dataDir);
    const wasLow = isLow;
    const freeBytes = bavail * bsize;
    isLow = freeBytes < freeDiskBytes;
    const state = `the disk of the data folder has ${inMegabytes(freeBytes)} free`;
    if (isLow && !wasLow) log.error(`programs (stdio servers) are stopped: ${state}, less than FREE_DISK_MB`);
    if (!isLow && wasLow) log.warn(`programs (stdio servers) may run again: ${state}`);
    return { freeBytes, reason: isLow ? new UpstreamError('disk_full', state) : undefined };
  };
}
