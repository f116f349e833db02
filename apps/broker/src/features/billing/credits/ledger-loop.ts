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

/**
 * The loops in which this broker exchanges leases with the database, and charges calls. They are separate, because a slow
 * charge must delay neither the heartbeats, without which others reclaim the leases, nor the calls that wait for a lease.
 */
export type LedgerLoop = {
  readonly settlements: Settlements;
  isBehind(): boolean;
  isStopped(): boolean;
  run(): void;
  /** Exchanges leases in a few ms, together with what else is released until then. */
  runSoon(): void;
  /** Exchanges leases for a call that waits for one, together with all others of this iteration of the event loop. */
  runForCall(): void;
  /** Resolves when all calls that ended so far are charged. */
  flush(): Promise<void>;
  stop(): Promise<void>;
};

export function createLedgerLoop(
  parts: ExchangeParts & { usage: Pick<UsageRows, 'reportCharged'>; uuid: () => string; nowMs: () => number },
): LedgerLoop {
  const { book, life, times, nowMs, log } = parts;
  /** Number of callers waiting in flush(). */
  let flushes = 0;
  let ticker: NodeJS.Timeout | undefined;
  let isStopped = false;
  /** The loops whose last run failed. */
  const refused = new Set<'leases' | 'charges'>();

  const settlements = createSettlements({
    ...parts,
    brokerId: () => life.id,
    onNoted: () => charges.within(settlements.untilDueMs()),
    onRefused: () => void charges.run(),
  });
  const isBehind = () => settlements.size() > maxUnsettled;
  const hasWork = () => !settlements.isOver() || book.hasTrims;

  const leases = createWorkLoop({
    async work() {
      await exchangeLeases();
      succeeded('leases');
      book.giveUp(false);
      return book.hasTrims || book.isWaiting ? againMs : undefined;
    },
    failed(error) {
      const isDead = error instanceof BrokerIsDead;
      if (isDead) startOver(parts);
      else failed('leases', error);
      book.giveUp(!isDead);
      return isDead ? 0 : retryMs;
    },
  });

  const charges = createWorkLoop({
    async work() {
      if (flushes > 0 || settlements.isRefused()) await settlements.note();
      if (flushes > 0 || settlements.untilDueMs() <= 0) await settlements.settle();
      succeeded('charges');
      if (book.hasTrims) leases.within(againMs);
      return settlements.untilDueMs();
    },
    failed(error) {
      failed('charges', error);
      return retryMs;
    },
  });

  /** Returns credits before it requests some, because they can be granted again at once. */
  async function exchangeLeases(): Promise<void> {
    if ((await sendHeartbeat(parts)) && !ticker) tick();
    if (!isBehind()) book.prepare();
    await returnUnused(parts);
    if (!isBehind()) await requestLeases(parts);
  }

  function failed(loop: 'leases' | 'charges', error: unknown): void {
    if (refused.size === 0) log.error({ err: error, calls: settlements.size() }, 'the ledger cannot be written yet');
    refused.add(loop);
  }

  function succeeded(loop: 'leases' | 'charges'): void {
    if (refused.delete(loop) && refused.size === 0) log.warn('the ledger can be written again');
  }

  /** Keeps heartbeats going, and returns idle leases, while no calls arrive. */
  function tick(): void {
    ticker = undefined;
    if (isStopped) return;
    book.drainIdle();
    book.giveUp(refused.has('leases'));
    if (book.hasTrims || life.isHeartbeatDue) void leases.run();
    if (!life.isIdle || !book.isEmpty) ticker = setTimeout(tick, tickMs);
  }

  const runBoth = () => Promise.all([leases.run(), charges.run()]);

  return {
    settlements,
    isBehind,
    isStopped: () => isStopped,
    run: () => void leases.run(),
    runSoon: () => leases.within(againMs),
    runForCall() {
      life.wasActive();
      if (!ticker) tick();
      if (leases.isRunning()) void leases.run();
      else setImmediate(() => void leases.run());
    },
    /** A run under way has taken its calls already, so at least one more follows. */
    async flush() {
      flushes += 1;
      try {
        do {
          await runBoth();
          if (refused.size > 0) throw new Error('the ledger cannot be written now');
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
        await runBoth();
        if (refused.size > 0) await new Promise((resolve) => setTimeout(resolve, retryMs));
      } while (hasWork() && nowMs() < deadlineMs);
      isStopped = true;
      settlements.stop();
      clearTimeout(ticker);
      await Promise.all([leases.stop(), charges.stop()]);
      await life.leave(parts.db.query);
    },
  };
}
