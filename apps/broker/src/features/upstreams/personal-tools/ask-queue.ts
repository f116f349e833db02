/**
 * A queue that runs a limited number of tasks concurrently, and those of one key sequentially: many users who sign in
 * or return at the same time must not open as many connections.
 */
export function createAskQueue({ atOnce, maxWaiting }: { atOnce: number; maxWaiting: number }) {
  const waiting = new Map<string, () => Promise<void>>();
  const running = new Set<string>();

  function next(): void {
    for (const [key, work] of waiting) {
      if (running.size >= atOnce) return;
      // a later answer must not be stored before an earlier one
      if (running.has(key)) continue;
      waiting.delete(key);
      running.add(key);
      void work().finally(() => {
        running.delete(key);
        next();
      });
    }
  }

  return {
    /** Runs `work` when a place is free. Returns false if its key is already waiting, or the queue is full. */
    add(key: string, work: () => Promise<void>): boolean {
      if (waiting.has(key) || waiting.size >= maxWaiting) return false;
      waiting.set(key, work);
      next();
      return true;
    },
    /** Starts no more work. */
    stop: () => waiting.clear(),
  };
}
