import type { ServerNotices, WaitingNotices } from './notice-limits.ts';
import { SlidingLimit } from './sliding-limit.ts';

/** Notices per second, as many as one call may send. */
const perSubscription = 20;

/**
 * The notices that a subscribed resource has changed, on their way to one subscriber. They share the limits of progress and
 * log notices (gateway.md, Lifetimes and limits): for each, the broker looks up what the user sees. A notice beyond the
 * limits waits, and the newest replaces it, so that the subscriber always gets the last change.
 */
export class ResourceNotices implements WaitingNotices {
  readonly #server: ServerNotices;
  readonly #tell: (uri: string) => void;
  readonly #limit = new SlidingLimit(perSubscription);
  #uri: string | undefined;
  #isWaiting = false;

  constructor(server: ServerNotices, tell: (uri: string) => void) {
    this.#server = server;
    this.#tell = tell;
  }

  updated(uri: string): void {
    this.#uri = uri;
    if (this.#isWaiting) return;
    const { limits } = this.#server;
    if (!this.tellNext(limits.time.now(), false)) limits.wait(this);
  }

  end(): void {
    this.#uri = undefined;
    if (this.#isWaiting) this.#server.limits.leave(this);
    this.#isWaiting = false;
  }

  tellNext(nowMs: number, hasWaited: boolean): boolean {
    const uri = this.#uri;
    if (uri !== undefined && this.#limit.hasRoom(nowMs) && this.#server.take(nowMs, hasWaited)) {
      this.#limit.take(nowMs);
      this.#uri = undefined;
      this.#tell(uri);
    }
    this.#isWaiting = this.#uri !== undefined;
    return !this.#isWaiting;
  }
}
