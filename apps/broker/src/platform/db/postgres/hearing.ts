import type { Log } from '../../log.ts';

/** How often a notice to ourselves shows that notices come. */
export const heartbeatMs = 2_000;
/** One that has not come by the second heartbeat after it: with a reading then, nothing is older than 5 s. */
const unheardMs = 2 * heartbeatMs - 100;
/** Heartbeats in a row that show that notices come again: through a pooler, one may come by chance. */
const surely = 3;
/** A lost connection is opened again within this time, where it can be. */
const awayMs = 10_000;

/** Said in the log and on /readyz. */
export const unheardText =
  'no notices come from the database, so that changes by other brokers are seen up to 5 s late: ' +
  'set DATABASE_LISTEN_URL to an address of PostgreSQL itself, past PgBouncer and other poolers';

/** Whether notices of the database come, by those to ourselves. While none do, what they would tell is read again and again. */
export type Hearing = {
  /** A notice to ourselves came, which was sent then. */
  heard(sentAtMs: number): void;
  untilMs(): number;
  /** A connection has been opened: notices are expected from now on. */
  begin(): void;
  /** With each heartbeat. @param isConnected whether there is a connection for notices */
  check(isConnected: boolean): void;
  isUnheard(): boolean;
  /** @returns a function that takes the listener off again */
  onUnheard(listener: () => void): () => void;
};

export function createHearing(log: Log, isReachable: () => Promise<boolean>): Hearing {
  const listeners = new Set<() => void>();
  let heardMs = Number.NEGATIVE_INFINITY;
  let begunMs = Number.POSITIVE_INFINITY;
  let readMs = Number.NEGATIVE_INFINITY;
  let isUnheard = false;
  /** How many came in a row while none were believed to come, and when the last of them was sent. */
  let row = { count: 0, sentMs: 0 };

  function readAgain(nowMs: number): void {
    readMs = nowMs;
    for (const listener of listeners) listener();
  }

  return {
    heard(sentAtMs) {
      if (isUnheard) {
        const isNext = sentAtMs - row.sentMs < 1.5 * heartbeatMs;
        row = { count: isNext ? row.count + 1 : 1, sentMs: sentAtMs };
        if (row.count < surely) return;
      }
      heardMs = sentAtMs;
      if (!isUnheard) return;
      isUnheard = false;
      log.info('notices of the database come again');
      // what was told since the last reading
      readAgain(performance.now());
    },
    untilMs: () => heardMs,
    begin() {
      begunMs = Math.min(begunMs, performance.now());
    },
    check(isConnected) {
      const nowMs = performance.now();
      const silentMs = nowMs - Math.max(heardMs, begunMs);
      if (silentMs < unheardMs || nowMs - readMs < unheardMs) return;
      // while the database is away there is nothing to read, and requests say so
      void isReachable().then((isSo) => {
        if (!isSo || heardMs > nowMs) return;
        if (!isUnheard && (isConnected || silentMs > awayMs)) {
          isUnheard = true;
          log.warn(unheardText);
        }
        readAgain(nowMs);
      });
    },
    isUnheard: () => isUnheard,
    onUnheard(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
