/** Delays as an argument, so that tests can let them pass. */
export type Timers = {
  /** Runs `act` once after `delayMs`; the answer takes it back. */
  after(delayMs: number, act: () => void): () => void;
};

/** Real ones, which do not keep the process alive. */
export const systemTimers: Timers = {
  after(delayMs, act) {
    const timer = setTimeout(act, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
