import type { ServerNotices, WaitingNotices } from './notice-limits.ts';
import { SlidingLimit } from './sliding-limit.ts';

/** Notices per second, the same as for one call. */
const perSubscription = 20;

/**
 * The notices that a subscribed resource has changed, on their way to one subscriber. They share the limits of progress and
 * log notices, because the broker looks up what the user sees for each notice. A notice
 * beyond the limits waits, and the newest replaces it, so that the subscriber always gets the last change.
 */
export class ResourceNotices implements WaitingNotices {
  readonly #server: ServerNotices;
  readonly #send: (uri: string) => void;
  readonly #limit = new SlidingLimit(perSubscription);
  #uri: string | undefined;
  #isWaiting = false;

  constructor(server: ServerNotices, send: (uri: string) => void) {
    this.#server = server;
    this.#send = send;
  }

  updated(uri: string): void {
    this.#uri = uri;
    if (this.#isWaiting) return;
    const { limits } = this.#server;
    if (!this.sendNext(limits.time.now(), false)) limits.wait(this);
  }

  end(): void {
    this.#uri = undefined;
    if (this.#isWaiting) this.#server.limits.leave(this);
    this.#isWaiting = false;
  }

  sendNext(nowMs: number, hasWaited: boolean): boolean {
    const uri = this.#uri;
    if (uri !== undefined && this.#limit.hasRoom(nowMs) && this.#server.take(nowMs, hasWaited)) {
      this.#limit.take(nowMs);
      this.#uri = undefined;
      this.#send(uri);
    }
    this.#isWaiting = this.#uri !== undefined;
    return !this.#isWaiting;
  }
}
