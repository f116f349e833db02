/** Work of which a few pieces run at a time, of one key one; each waits in one place only. */
export type AskQueue = {
  /** Runs `work` when a place is free. False when it waits already under this key, or too much is waiting. */
  add(key: string, work: () => Promise<void>): boolean;
  /** Starts nothing more. */
  stop(): void;
};

/** So that many people who sign in or come back at once do not open as many connections at once. */
export function createAskQueue({ atOnce, maxWaiting }: { atOnce: number; maxWaiting: number }): AskQueue {
  const waiting = new Map<string, () => Promise<void>>();
  const running = new Set<string>();

  function next(): void {
    for (const [key, work] of waiting) {
      if (running.size >= atOnce) return;
      // the later answer must not be stored before the earlier one
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
    add(key, work) {
      if (waiting.has(key) || waiting.size >= maxWaiting) return false;
      waiting.set(key, work);
      next();
      return true;
    },
    stop: () => waiting.clear(),
  };
}
