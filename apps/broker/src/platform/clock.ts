/** Time as an argument, so that tests can move it. */
export type Clock = {
  /** Epoch milliseconds, for times that are stored, shown or sent. The machine's clock may be set back or forward. */
  now(): number;
  /** Milliseconds of a clock that is never set, for elapsed time. By default `now`, as in most tests. */
  monotonic?(): number;
};

// the offset keeps times far from 0, which stands for "never"
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.timeOrigin + performance.now(),
};

/** Returns a time for rates, circuits, caches and waits. It is comparable only with others of this process. */
export function monotonicMs(clock: Clock): number {
  return clock.monotonic ? clock.monotonic() : clock.now();
}

/** A clock of elapsed time, for code that needs no other. */
export function elapsedTime(clock: Clock): Clock {
  return { now: () => monotonicMs(clock) };
}
