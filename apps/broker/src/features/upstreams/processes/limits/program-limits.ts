import type { Config } from '#platform/config.ts';

/** The operator's limits for programs (README, Configure). */
export type ProgramLimits = Config['programLimits'];

const megabyte = 1024 * 1024;

/**
 * Memory that a process may reserve beyond its program's limit: the kernel counts reservations, used or not. Node 24
 * reserves 560 MB for each thread that runs JavaScript (decision 0062).
 */
export const reservedBytes = 2048 * megabyte;

/**
 * The kernel's limit as a share of the broker's. It is higher, because the kernel also counts buffers of sockets, and
 * because the broker should end a program first and say why.
 */
export const kernelShare = 9 / 8;

/** Processes and threads of one program. A Node program has 11. */
export const maxTasks = 256;

/** Open files and sockets of one program, over all its processes. */
export const maxOpenFiles = 4096;

/**
 * Minimum size with which a file or folder counts: ext4 has an inode per 16 KiB, so that small files exhaust the quota
 * before the inodes.
 */
export const bytesOfEntry = 16 * 1024;

/** Share of the quota up to which a program may start in order to delete files. */
export const startShare = 1.25;

/** Share of the quota by which a program above it may grow while it rewrites a file. */
export const rewriteShare = 1 / 16;

export function inMegabytes(bytes: number): string {
  return `${Math.ceil(bytes / megabyte)} MB`;
}
