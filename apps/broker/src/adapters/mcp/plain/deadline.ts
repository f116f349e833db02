/** When a plain call has lasted so long that its client should be shown a sign of life. */
export const slowMs = 1000;

type Events = {
  /** Silence, or the time in all, was too long. */
  expire(): void;
  /** Once, after a second. */
  onSlow(): void;
};

/**
 * The limits of a plain call, silence and all in all: what call-deadline.ts is for calls of the SDK, with one timer and
 * without a signal. A sign of life sets no timer: whether the time is over is found out when the timer comes.
 */
export class Deadline {
  readonly #silenceMs: number;
  readonly #endMs: number;
  readonly #events: Events;
  #slowAtMs: number;
  #aliveAtMs: number;
  #pauses = 0;
  #timer: NodeJS.Timeout;

  constructor({ silenceMs, totalMs }: { silenceMs: number; totalMs: number }, events: Events) {
    const nowMs = performance.now();
    this.#silenceMs = silenceMs;
    this.#endMs = nowMs + totalMs;
    this.#aliveAtMs = nowMs;
    this.#slowAtMs = nowMs + slowMs;
    this.#events = events;
    this.#timer = this.#arm(nowMs);
  }

  /** The server gave a sign of life: the silence begins anew. */
  heard(): void {
    this.#aliveAtMs = performance.now();
  }

  /** A person is being asked: silence is not the server's fault. Gives what ends the pause. */
  pause(): () => void {
    this.#pauses++;
    return () => {
      this.#pauses--;
      // ended meanwhile
      if (this.#pauses < 0) return;
      this.heard();
      clearTimeout(this.#timer);
      this.#timer = this.#arm(this.#aliveAtMs);
    };
  }

  end(): void {
    // so that a pause that ends later starts no timer
    this.#pauses = -1;
    clearTimeout(this.#timer);
  }

  #dueMs(): number {
    return this.#pauses > 0 ? this.#endMs : Math.min(this.#endMs, this.#aliveAtMs + this.#silenceMs);
  }

  #arm(nowMs: number): NodeJS.Timeout {
    return setTimeout(look, Math.ceil(Math.min(this.#dueMs(), this.#slowAtMs) - nowMs), this);
  }

  look(): void {
    const nowMs = performance.now();
    if (nowMs >= this.#slowAtMs) {
      this.#slowAtMs = Number.POSITIVE_INFINITY;
      this.#events.onSlow();
    }
    if (nowMs >= this.#dueMs()) this.#events.expire();
    else this.#timer = this.#arm(nowMs);
  }
}

function look(deadline: Deadline): void {
  deadline.look();
}
