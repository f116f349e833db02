import { createFairQueue } from '../admission/fair-queue.ts';
import type { Timers } from '../pool/timers.ts';

/**
 * Places for processes, taken before a process starts and released when it has ended.
 * @param options.evictIdle ends the process that has been idle longest, if any, which then releases its place
 */
export function createProcessPlaces(options: { max: number; timers: Timers; evictIdle: () => void }) {
  const queue = createFairQueue<() => void>('programs', options.timers);
  let taken = 0;

  function occupy(): (() => void) | undefined {
    if (taken >= options.max) return undefined;
    taken++;
    let released = false;
    return () => {
      if (released) return;
      released = true;
      taken--;
      queue.next(occupy);
    };
  }

  return {
    /**
     * Takes a place. If none is free, ends an idle process and waits for its place.
     * @returns a function that releases the place; only its first call counts
     * @throws UpstreamError busy when no place comes free within 2 s
     */
    async take(userId: string): Promise<() => void> {
      const place = occupy();
      if (place) return place;
      const waiting = queue.wait(userId);
      options.evictIdle();
      return waiting;
    },
    /** Ends an idle process if a call waits for a place. */
    becameIdle(): void {
      if (queue.size > 0) options.evictIdle();
    },
    refuseAll: queue.refuseAll,
  };
}
