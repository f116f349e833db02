const windowSeconds = 10;

/** The rate at which calls end, over the last `windowSeconds`. */
export type CallRate = { note(count: number): void; perSecond(): number };

/** Counts per second in a ring of slots, which needs no timer: the first count of a second replaces the old one in its slot. */
export function createCallRate(nowMs: () => number = () => performance.now()): CallRate {
  const counts = Array.from({ length: windowSeconds }, () => ({ second: -1, count: 0 }));
  const secondOf = () => Math.floor(nowMs() / 1000);
  return {
    note(count) {
      const second = secondOf();
      const slot = counts[second % windowSeconds];
      if (!slot) return;
      if (slot.second !== second) Object.assign(slot, { second, count: 0 });
      slot.count += count;
    },
    perSecond() {
      const first = secondOf() - windowSeconds;
      const all = counts.filter(({ second }) => second > first).reduce((sum, { count }) => sum + count, 0);
      return all / windowSeconds;
    },
  };
}
