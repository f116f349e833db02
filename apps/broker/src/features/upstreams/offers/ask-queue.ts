/** Work of which a few pieces run at a time; each waits in one place only. */
export type AskQueue = {
  /** Runs `work` when a place is free. False when it waits already under this key, or too much is waiting. */
  add(key: string, work: () => Promise<void>): boolean;
  /** Starts nothing more. */
  stop(): void;
};

/** So that many people who sign in or come back at once do not open as many connections at once. */
export function createAskQueue({ atOnce, maxWaiting }: { atOnce: number; maxWaiting: number }): AskQueue {
  const waiting = new Map<string, () => Promise<void>>();
  let running = 0;

  function next(): void {
    while (running < atOnce) {
      const [first] = waiting;
      if (!first) return;
      const [key, work] = first;
      waiting.delete(key);
      running++;
      void work().finally(() => {
        running--;
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
