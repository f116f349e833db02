/** Answers that are still being written: a stop waits for them. */
export type InFlight = {
  /** One more; what it gives is to be called once, when the answer is over. */
  enter(): () => void;
  /** Resolves when nothing is under way, or when the time is over. */
  idle(timeoutMs: number): Promise<void>;
};

export function createInFlight(): InFlight {
  let count = 0;
  const waiting = new Set<() => void>();
  function leave(): void {
    count--;
    if (count === 0) for (const resolve of waiting) resolve();
  }
  return {
    enter() {
      count++;
      return leave;
    },
    async idle(timeoutMs) {
      if (count === 0) return;
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
