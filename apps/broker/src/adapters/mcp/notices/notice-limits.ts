import { createPace, type Pace } from '../wire/pace.ts';
import { SlidingLimit } from './sliding-limit.ts';

/** Notices forwarded per second. */
const perServer = 200;
const perProcess = 2000;
/** How soon a waiting notice is retried. */
const retryMs = 50;
/**
 * Notices read per second, forwarded or not, because reading takes time. A notice on the fast path counts once, one that the
 * SDK reads counts `sdkCost` times.
 */
const readPerServer = 2000;
const readPerProcess = 4000;
export const sdkCost = 4;

export type WaitingNotices = {
  /** Sends the next notice if the limits allow it. @returns whether no notice is left */
  sendNext(nowMs: number, hasWaited: boolean): boolean;
};

type Time = { now(): number; after(delayMs: number, act: () => void): void };

const realTime: Time = {
  now: () => performance.now(),
  after: (delayMs, act) => void setTimeout(act, delayMs).unref(),
};

/** The limits of all servers of this process, and the calls with waiting notices. */
export class NoticeLimits {
  readonly time: Time;
  readonly forwarded = new SlidingLimit(perProcess);
  readonly reading = createPace({ messagesPerSecond: readPerProcess });
  isCrowded = false;
  readonly #servers = new Map<string, ServerNotices>();
  /** The longest waiting first. */
  readonly #waiting = new Set<WaitingNotices>();
  readonly #crowded = new Set<ServerNotices>();
  #isArmed = false;

  constructor(time: Time = realTime) {
    this.time = time;
  }

  ofServer(serverId: string): ServerNotices {
    const known = this.#servers.get(serverId);
    if (known) return known;
    const server = new ServerNotices(this);
    this.#servers.set(serverId, server);
    return server;
  }

  wait(call: WaitingNotices): void {
    this.#waiting.add(call);
    this.#arm();
  }

  leave(call: WaitingNotices): void {
    this.#waiting.delete(call);
  }

  /** Gives waiting calls precedence from now on, because a limit was reached. @param server if its own limit was reached */
  crowd(server: ServerNotices | undefined): void {
    if (server) {
      server.isCrowded = true;
      this.#crowded.add(server);
    } else this.isCrowded = true;
    this.#arm();
  }

  /** Starts the one timer for all calls, if it is not running. */
  #arm(): void {
    if (this.#isArmed) return;
    this.#isArmed = true;
    this.time.after(retryMs, () => this.#sendWaiting());
  }

  #sendWaiting(): void {
    this.#isArmed = false;
    this.isCrowded = false;
    for (const server of this.#crowded) server.isCrowded = false;
    this.#crowded.clear();
    const nowMs = this.time.now();
    for (const call of this.#waiting) {
      if (this.isCrowded) break;
      if (call.sendNext(nowMs, true)) this.#waiting.delete(call);
    }
    if (this.#waiting.size > 0 || this.isCrowded || this.#crowded.size > 0) this.#arm();
  }
}

/** The limits of one server, over all its connections. */
export class ServerNotices {
  readonly limits: NoticeLimits;
  isCrowded = false;
  readonly #forwarded = new SlidingLimit(perServer);
  readonly #reading = createPace({ messagesPerSecond: readPerServer });

  constructor(limits: NoticeLimits) {
    this.limits = limits;
  }

  /** Counts one notice, at the server and in the process, if the limits allow it. Calls that waited come first. */
  take(nowMs: number, hasWaited: boolean): boolean {
    const { limits } = this;
    if (!hasWaited && (this.isCrowded || limits.isCrowded)) return false;
    const full = !this.#forwarded.hasRoom(nowMs);
    if (full || !limits.forwarded.hasRoom(nowMs)) {
      limits.crowd(full ? this : undefined);
      return false;
    }
    this.#forwarded.take(nowMs);
    limits.forwarded.take(nowMs);
    return true;
  }

  /** Slows down reading, so that servers that flood on many streams take little of the event loop. */
  readonly pace: Pace = (messages, bytes) => {
    const own = this.#reading(messages, bytes);
    const all = this.limits.reading(messages, bytes);
    return own && all ? Promise.all([own, all]).then(() => {}) : (own ?? all);
  };
}
