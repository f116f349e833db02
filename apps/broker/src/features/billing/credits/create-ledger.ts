import type { Clock } from '#platform/clock.ts';
import { monotonicMs } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import type { Log } from '#platform/log.ts';
import { createWorkLoop } from '#platform/work/work-loop.ts';
import type { PricedCall } from './charges.ts';
import type { UsageRows } from './usage-rows.ts';
import type { Livemode } from './accounts/accounts.ts';
import { leaseChannel } from './leases/ask-for-leases.ts';
import { reclaimLeases } from './broker-beats.ts';
import { BrokerLife } from './broker-life.ts';
import { BrokerIsDead, grantLeases } from './leases/grant-leases.ts';
import type { Lease, LeasePolicy } from './leases/lease.ts';
import { LeaseBook } from './leases/lease-book.ts';
import { LeaseHold, type HoldEnds } from './leases/lease-hold.ts';
import { createLedgerChanges } from './ledger-changes.ts';
import { ledgerTimes, type Ledger, type LedgerTimes, type NoLease } from './ledger.ts';
import { createSettlements, logRefused } from './settle/settlements.ts';
import { trimLeases } from './leases/trim-leases.ts';

/** While the database is a second or two behind, calls that would be charged later wait, as for a lease. */
const mostUnsettled = 10_000;
const retryMs = 100;
/** What goes back is collected for so long, and an account that was busy is asked again after it. */
const againMs = 5;
const tickMs = 250;

export async function createLedger({
  db,
  livemode,
  usage,
  uuid,
  clock,
  log,
  policy,
  times = ledgerTimes,
}: {
  db: Database;
  livemode: Livemode;
  usage: Pick<UsageRows, 'tell'>;
  uuid: () => string;
  clock: Clock;
  log: Log;
  policy: LeasePolicy;
  times?: LedgerTimes;
}): Promise<Ledger> {
  const nowMs = () => monotonicMs(clock);
  const book = new LeaseBook({ uuid, policy, times, nowMs });
  /** Those that wait until everything is written. */
  let flushes = 0;
  const life = new BrokerLife({ uuid, clock, times });
  const settlements = createSettlements({
    db,
    livemode,
    brokerId: () => life.id,
    uuid,
    usage,
    book,
    noteMs: times.noteMs,
    unnotedMs: times.unnotedMs,
    settleMs: times.settleMs,
    nowMs,
    onNoted: () => loop.within(settlements.untilDueMs()),
    onRefused: () => void loop.run(),
    log,
  });
  let ticker: NodeJS.Timeout | undefined;
  let isStopped = false;
  let isRefused = false;

  const isBehind = () => settlements.size() > mostUnsettled;

  const loop = createWorkLoop({
    async work() {
      await pass();
      if (isRefused) log.warn('the ledger is written again');
      isRefused = false;
      book.giveUp(false);
      return book.hasTrims || book.isWaiting ? againMs : settlements.untilDueMs();
    },
    failed(error) {
      const isDead = error instanceof BrokerIsDead;
      if (isDead) die();
      else if (!isRefused) log.error({ err: error, calls: settlements.size() }, 'the ledger cannot be written yet');
      isRefused = !isDead;
      book.giveUp(isRefused);
      return isDead ? 0 : retryMs;
    },
  });

  /**
   * Given back before asked for, for it can be granted again at once. Settled last, for no call waits for it, and not before
   * its time: a small batch costs nearly as much as a large one.
   */
  async function pass(): Promise<void> {
    await showLife();
    if (!isBehind()) book.prepare();
    await trim();
    if (!isBehind()) await grant();
    if (flushes > 0 || settlements.isRefused()) await settlements.note();
    if (flushes > 0 || settlements.untilDueMs() <= 0) await settlements.settle();
  }

  async function showLife(): Promise<void> {
    if (!book.isEmpty) life.wasActive();
    const leases = await life.show(db.query);
    if (!leases) return;
    for (const { leaseId, userId, isAsked } of leases) {
      if (isAsked) book.drainUser(userId);
      book.giveBack(leaseId, userId);
    }
    const { batches, leases: reclaimed } = await reclaimLeases(db, life.id, times.lifeMs, (call, error) =>
      logRefused(log, call, error),
    );
    // there may be more
    if (batches + reclaimed > 0) life.wasActive();
    if (reclaimed > 0) log.warn({ leases: reclaimed }, 'leases of brokers that ended or froze went back');
    if (!ticker) tick();
  }

  /** Without it a broker at rest would neither show life nor give idle leases back. */
  function tick(): void {
    ticker = undefined;
    if (isStopped) return;
    book.drainIdle();
    book.giveUp(isRefused);
    if (book.hasTrims || life.isSignDue) void loop.run();
    if (!life.isAtRest || !book.isEmpty) ticker = setTimeout(tick, tickMs);
  }

  /** Others took this broker for dead, and its leases back; after a rest it had none. It goes on under another id. */
  function die(): void {
    const leases = book.forgetAll();
    if (leases > 0)
      log.warn({ brokerId: life.id, leases }, 'this broker was given up by the others, and its leases went back');
    life.beginAnew();
  }

  async function trim(): Promise<void> {
    const trims = book.trims();
    if (trims.length === 0) return;
    const users = await trimLeases(db.query, livemode, life.id, trims);
    for (const one of trims) if (users.has(one.userId)) book.trimmed(one);
  }

  async function grant(): Promise<void> {
    if (!life.isAlive) return;
    const asks = book.asks();
    if (asks.length === 0) return;
    let answers;
    try {
      answers = await grantLeases(db.query, livemode, life.id, asks);
    } catch (error) {
      for (const ask of asks) book.lose(ask);
      throw error;
    }
    const byLease = new Map(answers.map((answer) => [answer.leaseId, answer]));
    for (const ask of asks) book.answer(ask, byLease.get(ask.leaseId));
  }

  const ends: HoldEnds = {
    write: (call) => settlements.keep(call),
    release(lease, credits) {
      book.release(lease, credits);
      if (book.hasTrims) loop.within(againMs);
    },
    isGivenUp: () => life.isGivenUp,
  };
  const holdOf = (lease: Lease, credits: number) => new LeaseHold(lease, credits, ends);

  function waitForLease(call: PricedCall): Promise<LeaseHold | NoLease> {
    return new Promise((resolve) => {
      book.wait({
        userId: call.userId,
        credits: call.credits,
        roundsOf: call.isContinued ? call.callId : undefined,
        sinceMs: nowMs(),
        resolve: (lease) => resolve(holdOf(lease, call.credits)),
        refuse: resolve,
      });
      life.wasActive();
      if (!ticker) tick();
      // with all others of this turn of the event loop
      if (loop.isRunning()) void loop.run();
      else setImmediate(() => void loop.run());
    });
  }

  const stopListening = await db.listen(leaseChannel, (userId) => {
    if (userId === '') book.drainAll();
    else book.drainUser(userId);
    if (book.hasTrims) void loop.run();
  });
  void loop.run();

  return {
    hold(call) {
      if (isStopped) return Promise.resolve({ kind: 'unavailable' });
      const lease = !call.isContinued && life.isAlive && !isBehind() ? book.take(call.userId, call.credits) : undefined;
      return lease ? holdOf(lease, call.credits) : waitForLease(call);
    },
    ...createLedgerChanges({
      db,
      livemode,
      patienceMs: times.patienceMs,
      restOf: (leaseId, granted) => book.restOf(leaseId, granted),
      nowMs,
      now: () => clock.now(),
    }),
    flush,
    async stop() {
      await stopListening();
      book.drainAll();
      const deadlineMs = nowMs() + times.stopMs;
      flushes += 1;
      // calls under way are over by now
      do {
        await loop.run();
        if (isRefused) await new Promise((resolve) => setTimeout(resolve, retryMs));
      } while ((!settlements.isOver() || book.hasTrims) && nowMs() < deadlineMs);
      isStopped = true;
      settlements.stop();
      clearTimeout(ticker);
      await loop.stop();
      await life.leave(db.query);
    },
  };

  /** A pass under way has taken its calls already: there is always one more. */
  async function flush(): Promise<void> {
    flushes += 1;
    try {
      do {
        await loop.run();
        if (isRefused) throw new Error('the ledger cannot be written now');
      } while (!settlements.isOver() || book.hasTrims);
    } finally {
      flushes -= 1;
    }
  }
}
