const shortestMs = 1000;
const longestMs = 30_000;

/**
 * How long to wait before a stream that ended is asked for again: 1 s, doubling to 30. A stream that lasted longer than
 * that was a good one, and begins anew.
 */
export class Backoff {
  readonly #now: () => number;
  #nextMs = shortestMs;
  /** When the last wait was over: about when the stream began that has ended now. */
  #askedAtMs = Number.NEGATIVE_INFINITY;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** @param wantedMs what the server asks for: more than our wait is granted, up to 30 s, and less is not */
  next(wantedMs = 0): number {
    const nowMs = this.#now();
    if (nowMs - this.#askedAtMs > longestMs) this.#nextMs = shortestMs;
    const waitMs = Math.min(Math.max(this.#nextMs, wantedMs), longestMs);
    this.#nextMs = Math.min(this.#nextMs * 2, longestMs);
    this.#askedAtMs = nowMs + waitMs;
    return waitMs;
  }
}
