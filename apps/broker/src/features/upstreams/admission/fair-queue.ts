import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import type { Timers } from '../pool/timers.ts';

const maxWaiting = 256;
const maxWaitMs = 2_000;

/**
 * Calls waiting for a place, served round-robin by user: 200 calls of one user do not delay a single call of another.
 */
export type FairQueue<Place> = {
  readonly size: number;
  /**
   * Waits for a place.
   * @throws UpstreamError busy when the queue is full or 2 s have passed; cancelled by the signal
   */
  wait(userId: string, signal?: AbortSignal): Promise<Place>;
  /**
   * Offers a place to each waiting user in turn until `take` returns one. If `take` throws an UpstreamError, that user's
   * first call is refused with it. Returns false when no call was admitted or refused.
   */
  next(take: (userId: string) => Place | undefined): boolean;
  refuseAll(error: UpstreamError): void;
};

type Waiter<Place> = { userId: string; admit(place: Place): void; refuse(error: UpstreamError): void };

/** @param what name of the places, for errors */
export function createFairQueue<Place>(what: string, timers: Timers): FairQueue<Place> {
  /** Waiting calls by user, in the order in which users get places: a user who got one goes to the end. */
  const lines = new Map<string, Waiter<Place>[]>();
  let size = 0;

  function remove(waiter: Waiter<Place>): void {
    const line = lines.get(waiter.userId);
    const at = line?.indexOf(waiter) ?? -1;
    if (!line || at === -1) return;
    line.splice(at, 1);
    size--;
    if (line.length === 0) lines.delete(waiter.userId);
  }

  /** Refuses the last call of the user with the longest line, if this user has fewer calls waiting in the full queue. */
  function makeRoomFor(userId: string): boolean {
    const [longest = []] = [...lines.values()].sort((a, b) => b.length - a.length);
    if (longest.length <= (lines.get(userId)?.length ?? 0) + 1) return false;
    longest.at(-1)?.refuse(new UpstreamError('busy', `${what}: one user has too many waiting calls`));
    return true;
  }

  return {
    get size() {
      return size;
    },
    wait(userId, signal) {
      if (signal?.aborted) return Promise.reject(new UpstreamError('cancelled', 'the caller canceled'));
      if (size >= maxWaiting && !makeRoomFor(userId)) {
        return Promise.reject(new UpstreamError('busy', `${what}: ${maxWaiting} calls are already waiting`));
      }
      return new Promise<Place>((resolve, reject) => {
        const leave = () => {
          forgetTimer();
          signal?.removeEventListener('abort', onAbort);
          remove(waiter);
        };
        const waiter: Waiter<Place> = {
          userId,
          admit(place) {
            leave();
            resolve(place);
          },
          refuse(error) {
            leave();
            reject(error);
          },
        };
        const onAbort = () => waiter.refuse(new UpstreamError('cancelled', 'the caller canceled'));
        const forgetTimer = timers.after(maxWaitMs, () =>
          waiter.refuse(new UpstreamError('busy', `${what}: no place within ${maxWaitMs} ms`)),
        );
        signal?.addEventListener('abort', onAbort, { once: true });
        const line = lines.get(userId);
        if (line) line.push(waiter);
        else lines.set(userId, [waiter]);
        size++;
      });
    },
    next(take) {
      for (const [userId, line] of lines) {
        let place: Place | undefined;
        try {
          place = take(userId);
        } catch (error) {
          if (!(error instanceof UpstreamError)) throw error;
          line[0]?.refuse(error);
          return true;
        }
        if (place === undefined) continue;
        line[0]?.admit(place);
        const rest = lines.get(userId);
        if (rest) {
          lines.delete(userId);
          lines.set(userId, rest);
        }
        return true;
      }
      return false;
    },
    refuseAll(error) {
      const all = [...lines.values()].flat();
      for (const waiter of all) waiter.refuse(error);
    },
  };
}
