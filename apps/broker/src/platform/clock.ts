/** Time as an argument, so that tests can move it. */
export type Clock = {
  /** Epoch milliseconds: for what is stored, shown or sent. The machine's clock may be set back or forward. */
  now(): number;
  /** Milliseconds of a clock that nobody sets: for elapsed time. Without it `now` is that clock too, as in most tests. */
  monotonic?(): number;
};

/** Keeps times far from 0, which is the time of what never happened. */
const startedAtMs = performance.timeOrigin;

export const systemClock: Clock = { now: () => Date.now(), monotonic: () => startedAtMs + performance.now() };

/**
 * A time for elapsed time: rates, circuits, caches, waits. Such times mean something only beside each other, in one
 * process.
 */
export function monotonicMs(clock: Clock): number {
  return clock.monotonic ? clock.monotonic() : clock.now();
}

/** The same as a clock, for what measures nothing else. */
export function elapsedTime(clock: Clock): Clock {
  return { now: () => monotonicMs(clock) };
}
