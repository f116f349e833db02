import { getHeapSpaceStatistics } from 'node:v8';

/** Sampling interval: short enough to catch a peak between two major collections, long enough to cost under 1 % of a core. */
const sampleMs = 50;

/** Composition of this process's largest resident memory, in MB. */
export type MemoryAtPeak = {
  resident: number;
  /** Committed by V8, by heap space. */
  heapSpaces: Record<string, number>;
  /** Memory outside the heap that V8 tracks, mainly buffers. */
  external: number;
  /** Remaining memory: code of Node and its libraries, stacks, sockets, the allocator's reserve. */
  native: number;
};

/**
 * Starts sampling this process's memory.
 * @returns a function that returns the largest sample
 */
export function watchMemory(): () => MemoryAtPeak | undefined {
  let peak: { atPeak: MemoryAtPeak; bytes: number } | undefined;
  setInterval(() => {
    const { rss, heapTotal, external } = process.memoryUsage();
    if (peak && rss <= peak.bytes) return;
    const spaces = getHeapSpaceStatistics().filter((space) => space.physical_space_size > 0);
    peak = {
      bytes: rss,
      atPeak: {
        resident: megabytes(rss),
        heapSpaces: Object.fromEntries(
          spaces.map(({ space_name: name, physical_space_size: size }) => [name, megabytes(size)]),
        ),
        external: megabytes(external),
        native: megabytes(rss - heapTotal - external),
      },
    };
  }, sampleMs).unref();
  return () => peak?.atPeak;
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1024 / 1024);
}
