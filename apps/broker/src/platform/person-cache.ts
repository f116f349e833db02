import { elapsedTime, type Clock } from './clock.ts';

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
  // Counts changes: a value that was read before a change must not be kept after it.
  let epoch = 0;

  async function readAnew(userId: string): Promise<T> {
    const begun = epoch;
    const value = await read(userId);
    if (epoch === begun) {
      if (known.size >= maxPeople) known.clear();
      known.set(userId, { value, untilMs: time.now() + trustMs });
    }
    return value;
  }

  return {
    get(userId) {
      const found = known.get(userId);
      return found && found.untilMs > time.now() ? found.value : readAnew(userId);
    },
    forget(userId) {
      epoch++;
      if (userId === undefined) known.clear();
      else known.delete(userId);
    },
  };
}
