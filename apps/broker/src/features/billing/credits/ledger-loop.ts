import type { UsageRows } from './usage-rows.ts';
import { createWorkLoop } from '#platform/work/work-loop.ts';
import { requestLeases, returnUnused, sendHeartbeat, startOver, type ExchangeParts } from './lease-exchange.ts';
import { BrokerIsDead } from './leases/grant-leases.ts';
import { createSettlements, type Settlements } from './settle/settlements.ts';

/** Uncharged calls above which further calls wait, as they do for a lease: the database is a second or two behind. */
const maxUnsettled = 10_000;
const retryMs = 100;
/** Time in which returns are collected, and pause before a busy account is retried. */
const againMs = 5;
const tickMs = 250;

/** The loop in which this broker exchanges leases with the database, and charges calls. */
export type LedgerLoop = {
  readonly settlements: Settlements;
  isBehind(): boolean;
  isStopped(): boolean;
  run(): void;
  /** Runs in a few ms, together with what else is released until then. */
  runSoon(): void;
  /** Runs for a call that waits for a lease, together with all others of this iteration of the event loop. */
  runForCall(): void;
  /** Resolves when all calls that ended so far are charged. */
  flush(): Promise<void>;
  stop(): Promise<void>;
};

export function createLedgerLoop(
  parts: ExchangeParts & { usage: Pick<UsageRows, 'reportCharged'>; uuid: () => string; nowMs: () => number },
): LedgerLoop {
  const { db, book, life, times, nowMs, log } = parts;
  /** Number of callers waiting in flush(). */
  let flushes = 0;
  let ticker: NodeJS.Timeout | undefined;
  let isStopped = false;
  let isRefused = false;

  const settlements = createSettlements({
    ...parts,
    brokerId: () => life.id,
    onNoted: () => loop.within(settlements.untilDueMs()),
    onRefused: () => void loop.run(),
  });
  const isBehind = () => settlements.size() > maxUnsettled;
  const hasWork = () => !settlements.isOver() || book.hasTrims;

  const loop = createWorkLoop({
    async work() {
      await iterate();
      if (isRefused) log.warn('the ledger can be written again');
      isRefused = false;
      book.giveUp(false);
      return book.hasTrims || book.isWaiting ? againMs : settlements.untilDueMs();
    },
    failed(error) {
      const isDead = error instanceof BrokerIsDead;
      if (isDead) startOver(parts);
      else if (!isRefused) log.error({ err: error, calls: settlements.size() }, 'the ledger cannot be written yet');
      isRefused = !isDead;
      book.giveUp(isRefused);
      return isDead ? 0 : retryMs;
    },
  });

  /**
   * Returns credits before it requests some, because they can be granted again at once. Settles last, because no call waits for
   * it, and only when it is due: a small batch costs nearly as much as a large one.
   */
  async function iterate(): Promise<void> {
    if ((await sendHeartbeat(parts)) && !ticker) tick();
    if (!isBehind()) book.prepare();
    await returnUnused(parts);
    if (!isBehind()) await requestLeases(parts);
    if (flushes > 0 || settlements.isRefused()) await settlements.note();
    if (flushes > 0 || settlements.untilDueMs() <= 0) await settlements.settle();
  }

  /** Keeps heartbeats going, and returns idle leases, while no calls arrive. */
  function tick(): void {
    ticker = undefined;
    if (isStopped) return;
    book.drainIdle();
    book.giveUp(isRefused);
    if (book.hasTrims || life.isHeartbeatDue) void loop.run();
    if (!life.isIdle || !book.isEmpty) ticker = setTimeout(tick, tickMs);
  }

  return {
    settlements,
    isBehind,
    isStopped: () => isStopped,
    run: () => void loop.run(),
    runSoon: () => loop.within(againMs),
    runForCall() {
      life.wasActive();
      if (!ticker) tick();
      if (loop.isRunning()) void loop.run();
      else setImmediate(() => void loop.run());
    },
    /** An iteration under way has taken its calls already, so at least one more follows. */
    async flush() {
      flushes += 1;
      try {
        do {
          await loop.run();
          if (isRefused) throw new Error('the ledger cannot be written now');
        } while (hasWork());
      } finally {
        flushes -= 1;
      }
    },
    async stop() {
      const deadlineMs = nowMs() + times.stopMs;
      flushes += 1;
      // no call is under way any more
      do {
        await loop.run();
        if (isRefused) await new Promise((resolve) => setTimeout(resolve, retryMs));
      } while (hasWork() && nowMs() < deadlineMs);
      isStopped = true;
      settlements.stop();
      clearTimeout(ticker);
      await loop.stop();
      await life.leave(db.query);
    },
  };
}
