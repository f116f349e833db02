import { elapsedTime, type Clock } from './clock.ts';
import { createSharedReads } from './shared-reads.ts';

/** Every change is announced to every replica; this only bounds what a lost notice could cost. */
const trustMs = 5_000;
const maxPeople = 10_000;

/** Facts about a person that every list and call needs, kept in memory for a few seconds. */
export type PersonCache<T> = {
  /** Without a promise while it is known, so that a call does not wait for several promises that are already resolved. */
  get(userId: string): T | Promise<T>;
  /** What was read of this person is out of date; undefined: of every person. */
  forget(userId: string | undefined): void;
};

export function createPersonCache<T>(read: (userId: string) => Promise<T>, clock: Clock): PersonCache<T> {
  const time = elapsedTime(clock);
  const known = new Map<string, { value: T; untilMs: number }>();
  const reads = createSharedReads<T>();

  function keep(userId: string, value: T): void {
    if (known.size >= maxPeople) known.clear();
    known.set(userId, { value, untilMs: time.now() + trustMs });
  }

  return {
    get(userId) {
      const found = known.get(userId);
      if (found && found.untilMs > time.now()) return found.value;
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
