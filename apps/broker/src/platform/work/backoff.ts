const shortestMs = 1000;
const longestMs = 30_000;

/** Wait before a stream that ended is reopened: 1 s, doubling up to 30 s. A stream that lasted longer than that resets it. */
export class Backoff {
  readonly #now: () => number;
  #nextMs = shortestMs;
  /** When the last wait was over, which is about when the last stream began. */
  #askedAtMs = Number.NEGATIVE_INFINITY;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** @param wantedMs the wait that the server asks for, which counts if it is longer than ours, up to 30 s */
  next(wantedMs = 0): number {
    const nowMs = this.#now();
    if (nowMs - this.#askedAtMs > longestMs) this.#nextMs = shortestMs;
    const waitMs = Math.min(Math.max(this.#nextMs, wantedMs), longestMs);
    this.#nextMs = Math.min(this.#nextMs * 2, longestMs);
    this.#askedAtMs = nowMs + waitMs;
    return waitMs;
  }
}
