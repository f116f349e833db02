export type InFlight = ReturnType<typeof createInFlight>;

/** Counts what a stop waits for: answers that are still being written, and calls that wait for their client's next round. */
export function createInFlight() {
  let count = 0;
  const waiting = new Set<() => void>();
  function leave(): void {
    count--;
    if (count === 0) for (const resolve of waiting) resolve();
  }
  return {
    /** Counts one more answer. Call the returned function once, when the answer has ended. */
    enter(): () => void {
      count++;
      return leave;
    },
    /** Resolves when the count is 0, or after `timeoutMs`. */
    async idle(timeoutMs: number): Promise<void> {
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
