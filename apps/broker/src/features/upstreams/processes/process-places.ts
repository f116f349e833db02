import { createFairQueue, queueLimits } from '../admission/fair-queue.ts';
import type { Timers } from '../pool/timers.ts';
import type { UpstreamError } from '#adapters/mcp/upstream-error.ts';

/** Places for processes: taken before one is started, given back when it has ended. */
export type ProcessPlaces = {
  /**
   * Takes a place. With none free, it ends an idle process and waits for its place.
   * @returns a function that gives the place back; only its first call counts
   * @throws UpstreamError busy when none comes free in 2 s
   */
  take(userId: string): Promise<() => void>;
  /** A process became idle: it is ended if a person waits for a place. */
  becameIdle(): void;
  refuseAll(error: UpstreamError): void;
};

/** @param evictIdle ends the process that has been idle longest, if there is one, which then gives its place back */
export function createProcessPlaces(options: { max: number; timers: Timers; evictIdle: () => void }): ProcessPlaces {
  const queue = createFairQueue<() => void>('programs', { timers: options.timers, ...queueLimits });
  let taken = 0;

  function occupy(): (() => void) | undefined {
    if (taken >= options.max) return undefined;
    taken++;
    let given = false;
    return () => {
      if (given) return;
      given = true;
      taken--;
      queue.next(occupy);
    };
  }

  return {
    async take(userId) {
      const place = occupy();
      if (place) return place;
      const waiting = queue.wait(userId);
      options.evictIdle();
      return waiting;
    },
    becameIdle() {
      if (queue.size > 0) options.evictIdle();
    },
    refuseAll: queue.refuseAll,
  };
}
