/** Work that no answer waits for. Failures are logged, and a stop waits for it. */
export type Background = {
  /** Adds work that has been started. A failure is logged with `failureMessage`, and not thrown. */
  add(work: Promise<unknown>, failureMessage: string): void;
  /** Resolves when all work that was added so far has ended. Never rejects. */
  flush(): Promise<void>;
};

export function createBackground(log: { error(details: object, message: string): void }): Background {
  const running = new Set<Promise<unknown>>();
  return {
    add(work, failureMessage) {
      const done = work
        .catch((error: unknown) => log.error({ err: error }, failureMessage))
        .finally(() => running.delete(done));
      running.add(done);
    },
    async flush() {
      await Promise.all(running);
    },
  };
}
