import type { Log } from '../../log.ts';

/** Interval of the heartbeats: notices to ourselves that show that notices arrive. */
export const heartbeatMs = 2_000;
/** Just before the second heartbeat after a lost one: with a refresh then, data is at most 5 s old. */
const unheardMs = 2 * heartbeatMs - 100;
/** Consecutive heartbeats that show that notices arrive again: through a pooler, a single one may arrive by chance. */
const heartbeatsInARow = 3;
/** Time within which a lost connection is reopened, if possible. */
const awayMs = 10_000;

/** For the log and /readyz. */
export const unheardText =
  'no notices come from the database, so that changes by other brokers are seen up to 5 s late: ' +
  'set DATABASE_LISTEN_URL to an address of PostgreSQL itself, past PgBouncer and other poolers';

/** Follows whether notices of the database arrive. While none do, listeners refresh regularly instead. */
export type Hearing = {
  heard(sentAtMs: number): void;
  untilMs(): number;
  /** Expects heartbeats from now on, because a connection was opened. */
  begin(): void;
  /** Called with each heartbeat. @param isConnected whether there is a connection for notices */
  check(isConnected: boolean): void;
  isUnheard(): boolean;
  /** @returns a function that removes the listener */
  onUnheard(listener: () => void): () => void;
};

export function createHearing(log: Log, isReachable: () => Promise<boolean>): Hearing {
  const listeners = new Set<() => void>();
  let heardMs = Number.NEGATIVE_INFINITY;
  let begunMs = Number.POSITIVE_INFINITY;
  let readMs = Number.NEGATIVE_INFINITY;
  let isUnheard = false;
  /** Consecutive heartbeats while unheard, and when the last of them was sent. */
  let streak = { count: 0, sentMs: 0 };

  function refresh(nowMs: number): void {
    readMs = nowMs;
    for (const listener of listeners) listener();
  }

  return {
    heard(sentAtMs) {
      if (isUnheard) {
        const isNext = sentAtMs - streak.sentMs < 1.5 * heartbeatMs;
        streak = { count: isNext ? streak.count + 1 : 1, sentMs: sentAtMs };
        if (streak.count < heartbeatsInARow) return;
      }
      heardMs = sentAtMs;
      if (!isUnheard) return;
      isUnheard = false;
      log.info('notices from the database arrive again');
      // for changes since the last refresh
      refresh(performance.now());
    },
    untilMs: () => heardMs,
    begin() {
      begunMs = Math.min(begunMs, performance.now());
    },
    check(isConnected) {
      const nowMs = performance.now();
      const silentMs = nowMs - Math.max(heardMs, begunMs);
      if (silentMs < unheardMs || nowMs - readMs < unheardMs) return;
      // while the database is unreachable there is nothing to read, and requests fail anyway
      void isReachable().then((isSo) => {
        if (!isSo || heardMs > nowMs) return;
        if (!isUnheard && (isConnected || silentMs > awayMs)) {
          isUnheard = true;
          log.warn(unheardText);
        }
        refresh(nowMs);
      });
    },
    isUnheard: () => isUnheard,
    onUnheard(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
