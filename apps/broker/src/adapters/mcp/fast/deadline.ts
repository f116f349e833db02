/** After this time a call should show its client that it is still running. */
export const slowMs = 1000;

export type DeadlineEvents = {
  /** The silence or the total time exceeded its limit. */
  expire(): void;
  /** Called once, after a second. */
  onSlow(): void;
};

/**
 * The silence limit and the total limit of a call, with one timer. A message from the server only records its time; the timer
 * checks that time when it fires.
 */
export class Deadline {
  readonly #silenceMs: number;
  readonly #endMs: number;
  readonly #events: DeadlineEvents;
  #slowAtMs: number;
  #aliveAtMs: number;
  #pauses = 0;
  #timer: NodeJS.Timeout;

  constructor({ silenceMs, totalMs }: { silenceMs: number; totalMs: number }, events: DeadlineEvents) {
    const nowMs = performance.now();
    this.#silenceMs = silenceMs;
    this.#endMs = nowMs + totalMs;
    this.#aliveAtMs = nowMs;
    this.#slowAtMs = nowMs + slowMs;
    this.#events = events;
    this.#timer = this.#arm(nowMs);
  }

  /** Restarts the silence limit, because the server sent something. */
  heard(): void {
    this.#aliveAtMs = performance.now();
  }

  /** Stops counting silence while the user answers a question. Returns a function that ends the pause. */
  pause(): () => void {
    this.#pauses++;
    return () => {
      this.#pauses--;
      // the call ended in the meantime
      if (this.#pauses < 0) return;
      this.heard();
      clearTimeout(this.#timer);
      this.#timer = this.#arm(this.#aliveAtMs);
    };
  }

  end(): void {
    // a pause that ends after this must not start a timer
    this.#pauses = -1;
    clearTimeout(this.#timer);
  }

  #dueMs(): number {
    return this.#pauses > 0 ? this.#endMs : Math.min(this.#endMs, this.#aliveAtMs + this.#silenceMs);
  }

  #arm(nowMs: number): NodeJS.Timeout {
    return setTimeout(check, Math.ceil(Math.min(this.#dueMs(), this.#slowAtMs) - nowMs), this);
  }

  check(): void {
    const nowMs = performance.now();
    if (nowMs >= this.#slowAtMs) {
      this.#slowAtMs = Number.POSITIVE_INFINITY;
      this.#events.onSlow();
    }
    if (nowMs >= this.#dueMs()) this.#events.expire();
    else this.#timer = this.#arm(nowMs);
  }
}

function check(deadline: Deadline): void {
  deadline.check();
}
