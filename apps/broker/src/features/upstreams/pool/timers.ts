/** Timers, passed as an argument so that tests can control them. */
export type Timers = {
  /** Runs `act` once after `delayMs`. Returns a function that cancels it. */
  after(delayMs: number, act: () => void): () => void;
};

/** Real timers. They do not keep the process alive. */
export const systemTimers: Timers = {
  after(delayMs, act) {
    const timer = setTimeout(act, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
