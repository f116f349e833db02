import type { Clock } from '#platform/clock.ts';

/** Every change is told to every replica; this only bounds what a lost notice could cost. */
const trustMs = 5_000;
const maxPeople = 10_000;

/** What is read of a person at every list and call, kept in memory for a few seconds. */
export type PersonCache<T> = {
  /** At once while it is known: a call would otherwise wait for several promises that have nothing to wait for. */
  get(userId: string): T | Promise<T>;
  /** Somebody's has changed; undefined: it may be anybody's. */
  forget(userId: string | undefined): void;
};

export function createPersonCache<T>(read: (userId: string) => Promise<T>, clock: Clock): PersonCache<T> {
  const known = new Map<string, { value: T; untilMs: number }>();
  // Counts changes: what was read before one of them must not be kept after it.
  let epoch = 0;

  async function readAnew(userId: string): Promise<T> {
    const begun = epoch;
    const value = await read(userId);
    if (epoch === begun) {
      if (known.size >= maxPeople) known.clear();
      known.set(userId, { value, untilMs: clock.now() + trustMs });
    }
    return value;
  }

  return {
    get(userId) {
      const found = known.get(userId);
      return found && found.untilMs > clock.now() ? found.value : readAnew(userId);
    },
    forget(userId) {
      epoch++;
      if (userId === undefined) known.clear();
      else known.delete(userId);
    },
  };
}
