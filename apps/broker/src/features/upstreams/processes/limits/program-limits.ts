import type { Config } from '#platform/config.ts';

/** The operator lets programs take so much (README, Configure). */
export type ProgramLimits = Config['programLimits'];

const megabyte = 1024 * 1024;

/**
 * A process may ask for this much more than its program may use: what it reserves counts, used or not. Node 24 reserves
 * 560 MB for each thread that runs JavaScript (decision 0062).
 */
export const reservedBytes = 2048 * megabyte;

/**
 * Where the kernel holds programs too, it does so a little above what they may take: its figure has more in it, such as
 * buffers of sockets, and what is watched is told in words first.
 */
export const kernelShare = 9 / 8;

/** Processes and threads of one program. A Node program has 11. */
export const maxTasks = 256;

/** Open files and sockets of one program, over all its processes. */
export const maxOpenFiles = 4096;

/**
 * Every file and folder counts as this much at least: it is how ext4 divides a disk into inodes, so that small files use up
 * the quota before they use up the inodes.
 */
export const bytesOfEntry = 16 * 1024;

/** Above the quota a program may start in order to delete; above this share of it no more. */
export const startShare = 1.25;

/** Room, as a share of the quota, in which a program above it may rewrite a file while it makes others smaller. */
export const rewriteShare = 1 / 16;

export function inMegabytes(bytes: number): string {
  return `${Math.ceil(bytes / megabyte)} MB`;
}
