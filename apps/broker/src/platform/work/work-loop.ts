/** Work that runs once at a time. What is wanted during a run gets one more. */
export type WorkLoop = {
  /** Wants the work now. Resolves when no run is under way or wanted any more. Never rejects. */
  run(): Promise<void>;
  /** Wants the work after this time at the latest. A run that is under way answers itself when the next one is due. */
  within(delayMs: number): void;
  isRunning(): boolean;
  /** Resolves when the run under way has ended. No other begins. */
  stop(): Promise<void>;
};

/**
 * @param parts.work answers after how many milliseconds it is due again; without an answer it waits to be wanted. The signal
 *   is of a stop
 * @param parts.failed is told what a run has thrown, except after a stop, and answers after how many milliseconds it is
 *   tried again
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
    // in one turn with the last look at `isWanted`: what is wanted a moment later finds no run that is over
    running = undefined;
    if (dueInMs !== undefined) within(dueInMs);
  }

  function run(): Promise<void> {
    if (stopping.signal.aborted) return running ?? Promise.resolve();
    isWanted = true;
    // begins when it is known to run: the work may want itself
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
