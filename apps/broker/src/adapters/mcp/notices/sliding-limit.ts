/** Allows exactly `count` in any window of `windowMs`: remembers when the last `count` were taken. */
export class SlidingLimit {
  readonly #takenAtMs: Float64Array;
  readonly #windowMs: number;
  /** Index of the oldest. */
  #oldest = 0;

  constructor(count: number, windowMs = 1000) {
    this.#takenAtMs = new Float64Array(count).fill(Number.NEGATIVE_INFINITY);
    this.#windowMs = windowMs;
  }

  hasRoom(nowMs: number): boolean {
    return nowMs - (this.#takenAtMs[this.#oldest] ?? nowMs) >= this.#windowMs;
  }

  /** Call only if there is room. */
  take(nowMs: number): void {
    this.#takenAtMs[this.#oldest] = nowMs;
    this.#oldest = (this.#oldest + 1) % this.#takenAtMs.length;
  }
}
