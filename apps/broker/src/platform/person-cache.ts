import { elapsedTime, type Clock } from './clock.ts';
import type { Database } from './db/database.ts';
import { createSharedReads } from './work/shared-reads.ts';

/** Longest use of a value. Every change notifies every broker; this bounds the effect of a notice that was never sent. */
const trustMs = 60_000;
/** Longest use of a value while notices may be lost on the way. */
const unheardMs = 5_000;
const maxPeople = 10_000;

/** Caches facts about users that every list and call needs, while notices of their changes arrive. */
export type PersonCache<T> = {
  /** Returns a cached value directly, so that a call does not wait for several promises that are already resolved. */
  get(userId: string): T | Promise<T>;
  /** Drops what was read about this user; undefined: about every user. */
  forget(userId: string | undefined): void;
};

/** @param db brings the notices after which `forget` is called */
export function createPersonCache<T>(
  read: (userId: string) => Promise<T>,
  clock: Clock,
  db: Pick<Database, 'deliveredUntilMs'>,
): PersonCache<T> {
  const time = elapsedTime(clock);
  const known = new Map<string, { value: T; readAtMs: number }>();
  const reads = createSharedReads<T>();

  function isTrusted(readAtMs: number): boolean {
    const ageMs = time.now() - readAtMs;
    return ageMs < unheardMs || (ageMs < trustMs && performance.now() - db.deliveredUntilMs() < unheardMs);
  }

  function keep(userId: string, value: T): void {
    if (known.size >= maxPeople) known.clear();
    known.set(userId, { value, readAtMs: time.now() });
  }

  return {
    get(userId) {
      const found = known.get(userId);
      if (found && isTrusted(found.readAtMs)) return found.value;
      return reads.join(
        userId,
        () => read(userId),
        (value, isCurrent) => {
          if (isCurrent) keep(userId, value);
        },
      );
    },
    forget(userId) {
      reads.forget(userId);
      if (userId === undefined) known.clear();
      else known.delete(userId);
    },
  };
}
