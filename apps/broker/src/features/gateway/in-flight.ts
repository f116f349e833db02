/** Counts what is under way: no server gets more calls than its manifest allows, and a stop waits for open answers. */
export type InFlight = {
  /** A place of those with this key, to be given back; undefined when all are taken. */
  enter(key: string, max: number): (() => void) | undefined;
  /** Resolves when nothing is under way, or when the time is over. */
  idle(timeoutMs: number): Promise<void>;
};

export function createInFlight(): InFlight {
  const counts = new Map<string, number>();
  const waiting = new Set<() => void>();
  return {
    enter(key, max) {
      const count = counts.get(key) ?? 0;
      if (count >= max) return undefined;
      counts.set(key, count + 1);
      let left = false;
      return () => {
        if (left) return;
        left = true;
        const now = (counts.get(key) ?? 1) - 1;
        if (now > 0) counts.set(key, now);
        else counts.delete(key);
        if (counts.size === 0) for (const resolve of waiting) resolve();
      };
    },
    async idle(timeoutMs) {
      if (counts.size === 0) return;
      await new Promise<void>((resolve) => {
        const deadline = setTimeout(done, timeoutMs);
        function done(): void {
          clearTimeout(deadline);
          waiting.delete(done);
          resolve();
        }
        waiting.add(done);
      });
    },
  };
}
