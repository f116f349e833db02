/** Something that is done again and again for as long as it is needed. */
export type Repeated = {
  /** It is needed: the next time is due after a while, unless one is due already. */
  begin(): void;
  /** The next time is now. */
  hurry(): void;
};

/** @param isNeeded is asked after each time; `act` must not reject. No timer keeps the process alive. */
export function repeat(everyMs: number, act: () => Promise<void>, isNeeded: () => boolean): Repeated {
  let timer: NodeJS.Timeout | undefined;
  let isRunning = false;
  async function run(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    isRunning = true;
    await act();
    isRunning = false;
    if (isNeeded()) begin();
  }
  function begin(): void {
    if (!isRunning) timer ??= setTimeout(() => void run(), everyMs).unref();
  }
  return {
    begin,
    hurry() {
      if (timer) void run();
    },
  };
}
