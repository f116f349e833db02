/** Work that no answer waits for: it is started, logged when it fails, and waited for at a stop. */
export type Background = {
  /** Takes work that has been started. A failure is logged with `failureMessage`; the caller never sees it. */
  add(work: Promise<unknown>, failureMessage: string): void;
  /** Resolves when all work that was added so far has ended, well or not. Never rejects. */
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
