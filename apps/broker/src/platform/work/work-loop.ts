/** Runs work sequentially. Requests during a run cause one more run. */
export type WorkLoop = {
  /** Requests a run now. Resolves when no run is active or requested. Never rejects. */
  run(): Promise<void>;
  /** Requests a run within this time. Ignored during a run, which itself decides when the next one is due. */
  within(delayMs: number): void;
  isRunning(): boolean;
  /** Resolves when the current run has ended. No other begins. */
  stop(): Promise<void>;
};

/**
 * @param parts.work returns in how many milliseconds the next run is due, if any. The signal aborts at a stop
 * @param parts.failed handles an error of a run, except after a stop, and returns in how many milliseconds to retry
 */
export function createWorkLoop(parts: {
  work(stopping: AbortSignal): Promise<number | void>;
  failed(error: unknown): number | void;
}): WorkLoop {
  let running: Promise<void> | undefined;
  let isWanted = false;
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let dueAtMs = Infinity;

  async function runs(): Promise<void> {
    cancelTimer();
    let dueInMs: number | void;
    let waits = false;
    do {
      isWanted = false;
      try {
        dueInMs = await parts.work(stopping.signal);
        waits = false;
      } catch (error) {
        dueInMs = stopping.signal.aborted ? undefined : parts.failed(error);
        waits = dueInMs !== undefined;
      }
    } while (isWanted && !waits);
    // in the same turn as the last check of `isWanted`, so that a later request does not see a finished run as running
    running = undefined;
    if (dueInMs !== undefined) within(dueInMs);
  }

  function run(): Promise<void> {
    if (stopping.signal.aborted) return running ?? Promise.resolve();
    isWanted = true;
    // begins after `running` is set, since the work may request itself
    running ??= Promise.resolve().then(runs);
    return running;
  }

  function within(delayMs: number): void {
    const atMs = performance.now() + delayMs;
    if (running || stopping.signal.aborted || atMs >= dueAtMs) return;
    cancelTimer();
    dueAtMs = atMs;
    timer = setTimeout(() => void run(), Math.max(0, delayMs)).unref();
  }

  function cancelTimer(): void {
    clearTimeout(timer);
    dueAtMs = Infinity;
  }

  return {
    run,
    within,
    isRunning: () => running !== undefined,
    async stop() {
      stopping.abort();
      isWanted = false;
      cancelTimer();
      await running;
    },
  };
}
