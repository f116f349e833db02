import type { LoggingMessageNotification, Progress } from '@modelcontextprotocol/client';
import type { NoticeListener } from '../upstream.ts';
import type { ServerNotices, WaitingNotices } from './notice-limits.ts';
import { SlidingLimit } from './sliding-limit.ts';

/** Notices forwarded per second. */
const perCall = 20;

/**
 * The progress and log notices of one call, on their way to its client. A notice beyond the limits waits, and a newer one of
 * its kind replaces it, so that a call has at most two waiting. Waiting notices are dropped when the answer comes, which they
 * must not delay. Once the client's stream is gone, notices are dropped and extend no deadline.
 *
 * Created for the first notice of a call: most calls have none.
 */
export class CallNotices implements WaitingNotices {
  readonly #server: ServerNotices;
  readonly #listener: NoticeListener;
  readonly #limit = new SlidingLimit(perCall);
  #progress: Progress | undefined;
  #log: LoggingMessageNotification['params'] | undefined;
  #isWaiting = false;
  #lastWasProgress = false;

  constructor(server: ServerNotices, listener: NoticeListener) {
    this.#server = server;
    this.#listener = listener;
  }

  /** @returns whether the client listens. If so, the caller extends the deadline */
  progress(progress: Progress): boolean {
    if (!this.#listener.onProgress || this.#isGone()) return false;
    this.#progress = progress;
    this.#sendOrWait();
    return true;
  }

  log(message: LoggingMessageNotification['params']): void {
    if (!this.#listener.onLog || this.#isGone()) return;
    this.#log = message;
    this.#sendOrWait();
  }

  /** Call when the call has its answer. */
  end(): void {
    this.#forget();
    if (this.#isWaiting) this.#server.limits.leave(this);
  }

  sendNext(nowMs: number, hasWaited: boolean): boolean {
    const state = this.#listener.listening?.() ?? 'ready';
    if (state === 'gone') this.#forget();
    else if (state === 'ready' && this.#limit.hasRoom(nowMs) && this.#server.take(nowMs, hasWaited)) {
      this.#limit.take(nowMs);
      this.#send();
    }
    this.#isWaiting = this.#progress !== undefined || this.#log !== undefined;
    return !this.#isWaiting;
  }

  #isGone(): boolean {
    return this.#listener.listening?.() === 'gone';
  }

  #sendOrWait(): void {
    // the newest replaced the waiting one
    if (this.#isWaiting) return;
    const { limits } = this.#server;
    if (!this.sendNext(limits.time.now(), false)) limits.wait(this);
  }

  #send(): void {
    const progress = this.#progress;
    const log = this.#log;
    // alternates if both wait: endless progress must not keep log messages back
    if (progress && !(log && this.#lastWasProgress)) {
      this.#lastWasProgress = true;
      this.#progress = undefined;
      this.#listener.onProgress?.(progress);
    } else if (log) {
      this.#lastWasProgress = false;
      this.#log = undefined;
      this.#listener.onLog?.(log);
    }
  }

  #forget(): void {
    this.#progress = undefined;
    this.#log = undefined;
  }
}
