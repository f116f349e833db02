import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { beforeAll, beforeEach, afterEach, expect, test } from 'vitest';
import { z } from 'zod';
import { isBatch } from '#features/billing/credits/testing/faulty-broker.ts';
import { reclaimLeases } from '#features/billing/credits/broker-beats.ts';
import { grantCredits } from '#features/billing/credits/accounts/change-credits.ts';
import { checkLedger } from '#features/billing/credits/accounts/check-ledger.ts';
import { createLedger } from '#features/billing/credits/create-ledger.ts';
import type { LeaseHold } from '#features/billing/credits/leases/lease-hold.ts';
import { ledgerTimes, type Ledger } from '#features/billing/credits/ledger.ts';
import { readAccount } from '#features/billing/credits/accounts/read-account.ts';
import { createUsageWriter } from '#features/usage/index.ts';
import { paidRow } from '#features/billing/credits/testing/paid-row.ts';
import { systemClock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import { DatabaseLostError } from '#platform/db/database-errors.ts';
import { describeOnDatabases } from '#testing/databases/databases.ts';
import { limitElapsed } from '#testing/figures/limits.ts';
import { readUsageRows } from '#testing/figures/usage-rows.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { migrations } from '../migrations.ts';

// How two brokers on one database handle the leases of one account, and each other's leases.

const livemode = false;
const warnings: string[] = [];
const log = pino(
  { level: 'warn' },
  { write: (line) => void warnings.push(z.object({ msg: z.string() }).parse(JSON.parse(line)).msg) },
);
/** Timeout for what must succeed on a busy machine; tests of the product's own times set them. */
const manyMs = 600_000;
const times = {
  ...ledgerTimes,
  stopMs: 0,
  patienceMs: 60_000,
  answerMs: 60_000,
  idleMs: manyMs,
  ageMs: manyMs,
  lifeMs: manyMs,
};
/** Patience for a call that is refused because other calls hold the credits it needs. */
const { patienceMs } = ledgerTimes;
const givenUp = 'another broker declared this one dead and reclaimed its leases';
const paid = { serverId: 'paid', tool: 'say' };

describeOnDatabases('leases of credits', migrations, (open) => {
  let db: Database;
  let userId: string;
  const started: Ledger[] = [];
  const gates: PromiseWithResolvers<void>[] = [];
  beforeAll(async () => {
    db = await open();
  });
  beforeEach(() => {
    userId = randomUUID();
    warnings.length = 0;
  });
  afterEach(async () => {
    for (const gate of gates.splice(0)) gate.resolve();
    for (const ledger of started.splice(0)) await ledger.stop();
    await giveUpAll();
    const faults = await checkLedger(db);
    const leases = await db.query('select from credit_leases');
    if (faults.length + leases.rows.length > 0)
      throw new Error(`the ledger does not add up: ${JSON.stringify(faults)}`);
  });

  const give = (credits: number) =>
    db.transaction((query) =>
      grantCredits(query, { userId, livemode, credits, source: 'purchased', idem: randomUUID() }),
    );
  const account = async () => {
    const { balance, held, available } = await readAccount(db.query, livemode, userId);
    return { balance, held, available };
  };

  /**
   * Starts a broker whose leases are larger than needed by `extra`, as far as the account allows. Its clock can be
   * moved; with `isSlow` the machine's time hardly counts.
   */
  async function startBroker({
    extra = 0,
    isLive = livemode,
    isSlow = false,
    ...over
  }: { extra?: number; isLive?: boolean; isSlow?: boolean } & Partial<typeof times> = {}) {
    const usage = createUsageWriter({ query: db.query, log });
    let aheadMs = 0;
    let isCut = false;
    let isAnswerLost = false;
    let begun: PromiseWithResolvers<void> | undefined;
    let gate: PromiseWithResolvers<void> | undefined;
    let isHeld = (_text: string) => false;
    const lost = () => Promise.reject(new DatabaseLostError('injected'));
    const cuttable: Database = {
      ...db,
      query: async (text, values) => {
        if (isHeld(text)) {
          begun?.resolve();
          await gate?.promise;
        }
        if (isCut) return lost();
        const isUnknown = isAnswerLost && text.includes('settle_calls(');
        isAnswerLost &&= !isUnknown;
        const result = await db.query<never>(text, values);
        return isUnknown ? lost() : result;
      },
      transaction: (work) => (isCut ? lost() : db.transaction(work)),
    };
    const begunAtMs = systemClock.now();
    const now = () => (isSlow ? begunAtMs + Math.floor((systemClock.now() - begunAtMs) / 100) : systemClock.now());
    const monotonic = () => now() + aheadMs;
    const ledger = await createLedger({
      db: cuttable,
      livemode: isLive,
      usage,
      uuid: randomUUID,
      clock: { now, monotonic },
      log,
      policy: () => extra,
      times: { ...times, ...over },
    });
    started.push(ledger);
    const hold = (credits: number) => ledger.hold({ ...paid, callId: randomUUID(), userId, credits });
    return {
      ledger,
      hold,
      /** Takes a hold, which must succeed. */
      async take(credits: number): Promise<LeaseHold> {
        const made = await hold(credits);
        if (!('settle' in made)) throw new Error(`refused: ${made.kind}`);
        return made;
      },
      sleepMs: (ms: number) => (aheadMs += ms),
      cut: () => (isCut = true),
      /** Commits the next settlement, which then appears to have failed. */
      loseAnswer: () => (isAnswerLost = true),
      /** Makes statements wait for `go` from now on; `begun` resolves with the first. */
      holdWrites(areThese = isBatch) {
        isHeld = areThese;
        begun = Promise.withResolvers();
        gate = Promise.withResolvers();
        gates.push(gate);
        return { begun: begun.promise, go: gate.resolve };
      },
    };
  }

  const rowOf = (credits: number) => paidRow(userId, credits);

  /** Reclaims the leases as other brokers do without a heartbeat. */
  async function giveUpAll(): Promise<void> {
    await db.query('delete from credit_brokers');
    await reclaimLeases(db, randomUUID(), times.lifeMs, (call) => expect.unreachable(call.row.callId));
  }

  test('a flush also waits for what is being written', async () => {
    await give(12);
    const broker = await startBroker();
    const call = await broker.take(5);
    const writes = broker.holdWrites();
    call.settle(rowOf(5));
    await writes.begun;
    let isFlushed = false;
    const flushed = broker.ledger.flush().then(() => (isFlushed = true));
    await new Promise(setImmediate);
    expect(isFlushed).toBe(false);
    writes.go();
    await flushed;
    expect(await account()).toEqual({ balance: 7, held: 0, available: 7 });
  });

  test('a charge that the database does not answer delays neither heartbeats nor calls that wait for a lease', async () => {
    await give(12);
    const broker = await startBroker();
    const charges = broker.holdWrites((text) => text.includes('settle_calls('));
    (await broker.take(5)).settle(rowOf(5));
    await charges.begun;
    const beats = async () => (await db.query<{ beat: Date }>('select beat from credit_brokers')).rows;
    const before = await beats();
    broker.sleepMs(times.beatMs);
    const next = await broker.take(5);
    expect(await beats()).not.toEqual(before);
    next.settle(rowOf(5));
    charges.go();
    await broker.ledger.flush();
    expect(await account()).toEqual({ balance: 2, held: 0, available: 2 });
  });

  test("a user's balance is shown without the part of a lease that no call holds", async () => {
    await give(1000);
    const [broker, other] = [await startBroker({ extra: 20 }), await startBroker()];
    const calls = [await broker.take(5), await broker.take(5)];
    expect(await account()).toEqual({ balance: 1000, held: 25, available: 975 });
    expect(await broker.ledger.account(userId)).toMatchObject({ balance: 1000, held: 10, available: 990 });
    expect(await other.ledger.account(userId)).toMatchObject({ held: 25, available: 975 });
    calls[0]?.release();
    calls[1]?.settle(rowOf(5));
    expect(await broker.ledger.account(userId)).toMatchObject({ held: 5, available: 995 });
    await broker.ledger.flush();
    expect(await broker.ledger.account(userId)).toMatchObject({ balance: 995, held: 0, available: 995 });
  });

  test('a frozen broker cannot charge credits that another call has spent: the call is recorded without a charge', async () => {
    await give(5);
    const [frozen, other] = [await startBroker(), await startBroker()];
    const late = await frozen.take(5);
    await giveUpAll();
    (await other.take(5)).settle(rowOf(5));
    await other.ledger.flush();
    late.settle(rowOf(5));
    await frozen.ledger.flush();
    expect(await account()).toEqual({ balance: 0, held: 0, available: 0 });
    const rows = await readUsageRows(db, userId);
    expect(rows.map(({ credits, reason }) => ({ credits, reason }))).toEqual([
      { credits: 5, reason: null },
      { credits: 0, reason: 'lease_lost' },
    ]);
    await give(5);
    (await frozen.take(5)).release();
    await frozen.ledger.flush();
    expect(await account(), 'under its new id it takes part again').toMatchObject({ balance: 5, held: 0 });
  });

  test('a hold is lost once other brokers have reclaimed its lease, or may have for lack of a heartbeat', async () => {
    await give(10);
    const broker = await startBroker({ isSlow: true });
    const taken = await broker.take(5);
    expect(taken.isLost).toBe(false);
    await giveUpAll();
    broker.sleepMs(times.beatMs);
    const other = await broker.take(5);
    expect([taken.isLost, other.isLost]).toEqual([true, false]);
    broker.cut();
    broker.sleepMs(times.lifeMs - times.beatMs);
    expect(other.isLost).toBe(false);
    broker.sleepMs(times.beatMs);
    expect(other.isLost).toBe(true);
  });

  test('a broker spends a lease for 5 s after its last heartbeat, and then checks it first', async () => {
    await give(1000);
    const broker = await startBroker({ extra: 20, isSlow: true });
    (await broker.take(1)).release();
    expect(broker.hold(1), 'from the lease').not.toBeInstanceOf(Promise);
    broker.sleepMs(4000);
    expect(broker.hold(1)).not.toBeInstanceOf(Promise);
    broker.cut();
    broker.sleepMs(2000);
    const asked = broker.hold(1);
    expect(asked, 'it checks').toBeInstanceOf(Promise);
    broker.sleepMs(times.refusedMs);
    expect(await asked).toEqual({ kind: 'unavailable' });
  });

  test('the leases of a broker that ended silently are reclaimed after its time', async () => {
    await give(10);
    const killed = await startBroker();
    await killed.take(10);
    killed.cut();
    const { rows } = await db.query<{ id: string }>('select id from credit_brokers');
    const other = await startBroker({ beatMs: 100, patienceMs });
    expect(await other.hold(10)).toEqual({ kind: 'insufficient', available: 0 });
    // since then the first has sent no heartbeat, and the other has
    await db.query(
      `update credit_brokers set since = since - interval '1 day',
         beat = beat - case when id = any($1::uuid[]) then interval '1 day' else interval '0' end`,
      [`{${rows.map(({ id }) => id).join(',')}}`],
    );
    await waitUntil('the credits are back', async () => 'settle' in (await other.hold(10)));
    await other.ledger.flush();
    await giveUpAll();
  });

  test('a lease that another broker requests back is available within 250 ms, except for what running calls hold', async () => {
    await give(100);
    const [first, second] = [await startBroker({ extra: 20 }), await startBroker()];
    const running = await first.take(1);
    expect((await account()).held).toBeGreaterThan(1);
    const made: LeaseHold[] = [];
    await limitElapsed(ledgerTimes.patienceMs, async () => {
      for (const before of made.splice(0)) {
        before.release();
        await second.ledger.flush();
        (await first.take(1)).release();
      }
      made.push(await second.take(99));
    });
    expect(await account()).toEqual({ balance: 100, held: 100, available: 0 });
    for (const hold of made) hold.settle(rowOf(99));
    running.settle(rowOf(1));
    await Promise.all([first.ledger.flush(), second.ledger.flush()]);
    expect(await account()).toEqual({ balance: 0, held: 0, available: 0 });
  });

  test('credits that cannot come back within 250 ms are refused, and the refusal says what is left', async () => {
    await give(100);
    const [first, second] = [await startBroker({ extra: 20 }), await startBroker({ patienceMs })];
    const running = await first.take(50);
    expect(await second.hold(60)).toEqual({ kind: 'insufficient', available: 50 });
    running.release();
    await first.ledger.flush();
  });

  test('a lease that no call uses is returned automatically', async () => {
    await give(1000);
    const broker = await startBroker({ extra: 20, isSlow: true, idleMs: ledgerTimes.idleMs });
    (await broker.take(1)).release();
    expect((await account()).held).toBeGreaterThan(0);
    broker.sleepMs(ledgerTimes.idleMs);
    await waitUntil('it is back', async () => (await account()).held === 0);
  });

  test('a broker that others considered dead says so if it had leases, and not after idling', async () => {
    await give(1000);
    const broker = await startBroker({ extra: 20, isSlow: true, idleMs: ledgerTimes.idleMs });
    (await broker.take(1)).release();
    broker.sleepMs(ledgerTimes.idleMs);
    await waitUntil('it is idle', async () => (await account()).held === 0);
    // the broker knows it too
    await broker.ledger.flush();
    await giveUpAll();
    broker.sleepMs(times.beatMs);
    const hold = await broker.take(1);
    expect(warnings).not.toContain(givenUp);
    hold.release();
    await giveUpAll();
    broker.sleepMs(times.aliveMs);
    await broker.take(1);
    expect(warnings.filter((warning) => warning === givenUp)).toHaveLength(1);
  });

  test('a broker that stops returns everything, and charges ended calls', async () => {
    await give(1000);
    const broker = await startBroker({ extra: 20, stopMs: 60_000 });
    const [made, kept] = [await broker.take(3), await broker.take(4)];
    made.settle(rowOf(3));
    kept.release();
    await broker.ledger.stop();
    expect(await account()).toEqual({ balance: 997, held: 0, available: 997 });
    expect((await db.query('select from credit_brokers')).rows).toEqual([]);
  });

  test('an administrator can set a balance that is partly leased, but not below what running calls hold', async () => {
    await give(1000);
    const broker = await startBroker({ extra: 20 });
    const [patient, administrator] = [await startBroker(), await startBroker({ patienceMs })];
    const running = await broker.take(7);
    const set = ({ ledger }: typeof administrator, credits: number) =>
      ledger.setBalance({ userId, credits, idem: randomUUID() }, { operator: 'test' });
    expect(await set(patient, 7)).toBe(-993);
    await expect(set(administrator, 6)).rejects.toMatchObject({ code: 'credits_held' });
    running.release();
    await broker.ledger.flush();
    expect(await account()).toEqual({ balance: 7, held: 0, available: 7 });
  });

  test('of administrators who saw one balance one sets it, and calls that run meanwhile are charged on top of it', async () => {
    await give(1000);
    const broker = await startBroker({ extra: 20 });
    const administrators = [await startBroker(), await startBroker(), await startBroker()];
    const running = await broker.take(7);
    const [sets, calls] = await Promise.all([
      Promise.allSettled(
        administrators.map(({ ledger }, index) =>
          ledger.setBalance(
            { userId, credits: 500 + index, expectedBalance: 1000, idem: randomUUID() },
            { operator: 'test' },
          ),
        ),
      ),
      Promise.all(Array.from({ length: 10 }, () => broker.take(3))),
    ]);
    const done = sets.findIndex(({ status }) => status === 'fulfilled');
    expect(sets.filter(({ status }) => status === 'fulfilled')).toEqual([{ status: 'fulfilled', value: done - 500 }]);
    const refused = sets.filter((set) => set.status === 'rejected').map(({ reason }) => reason);
    expect(refused).toEqual([1, 2].map(() => expect.objectContaining({ code: 'changed_since_shown' })));
    running.settle(rowOf(7));
    for (const call of calls) call.settle(rowOf(3));
    await broker.ledger.flush();
    const left = 500 + done - 7 - 30;
    expect(await account()).toMatchObject({ balance: left });
  });

  test('the free aborts of an hour are counted over all brokers, and once each if a batch is sent again', async () => {
    await give(100);
    const brokers = [await startBroker(), await startBroker()] as const;
    for (let count = 0; count < 8; count++) {
      const broker = brokers[count % 2 === 0 ? 0 : 1];
      const call = await broker.take(5);
      // the answers to two commits are lost, of a free call and of a charged one
      if (count === 2 || count === 7) broker.loseAnswer();
      call.settleAbort({ ...rowOf(5), outcome: 'cancelled', reason: 'cancelled' });
      await broker.ledger.flush().catch(() => {});
      await broker.ledger.flush();
    }
    expect(await account()).toEqual({ balance: 85, held: 0, available: 85 });
    const rows = await readUsageRows(db, userId);
    expect(rows.map(({ credits, reason }) => `${credits} ${reason}`)).toEqual([
      ...Array.from({ length: 5 }, () => '0 cancelled'),
      ...Array.from({ length: 3 }, () => '5 aborts_used_up'),
    ]);
  });

  test('each dispatch of one call is a separate abort, on any broker, and counts once if a batch is sent again', async () => {
    await give(100);
    const brokers = [await startBroker(), await startBroker()] as const;
    // each round overwrites the row of the first
    const row = { ...rowOf(5), rounds: 2, outcome: 'cancelled' as const, reason: 'cancelled' };
    const round = { ...paid, callId: row.callId, isContinued: true, userId, credits: 5 };
    for (let count = 0; count < 6; count++) {
      const broker = brokers[count % 2 === 0 ? 0 : 1];
      const call = await broker.ledger.hold(round);
      if (call.kind !== 'hold') throw new Error(`refused: ${call.kind}`);
      // the answers to two commits are lost, of the last free dispatch and of the charged one
      if (count >= 4) broker.loseAnswer();
      call.settleAbort(row);
      await broker.ledger.flush().catch(() => {});
      await broker.ledger.flush();
      expect((await account()).balance).toBe(count < 5 ? 100 : 95);
    }
    for (const { ledger } of brokers) expect(await ledger.hold(round)).toEqual({ kind: 'settled' });
    expect(await account()).toEqual({ balance: 95, held: 0, available: 95 });
    expect(await readUsageRows(db, userId)).toMatchObject([{ credits: 5, reason: 'aborts_used_up' }]);
    const noted = await db.query('select from credit_free_aborts where user_id = $1', [userId]);
    expect(noted.rows).toHaveLength(5);
  });

  test('of two dispatches of one call in one batch, one is free and the other charged', async () => {
    await give(100);
    const broker = await startBroker();
    const aborted = { outcome: 'cancelled' as const, reason: 'cancelled' };
    for (let count = 0; count < 4; count++) (await broker.take(5)).settleAbort({ ...rowOf(5), ...aborted });
    await broker.ledger.flush();
    // as if the lease of the first had been lost: the call continues, and both are written together
    const row = { ...rowOf(5), ...aborted, rounds: 2 };
    for (const hold of [await broker.take(5), await broker.take(5)]) hold.settleAbort(row);
    await broker.ledger.flush();
    expect(await account()).toEqual({ balance: 95, held: 0, available: 95 });
    const rows = (await readUsageRows(db, userId)).filter(({ callId }) => callId === row.callId);
    expect(rows).toMatchObject([{ credits: 5, reason: 'aborts_used_up' }]);
  });

  test('two brokers together cannot exceed the monthly cap', async () => {
    await give(1000);
    const [first, second] = [await startBroker({ extra: 20 }), await startBroker({ extra: 20 })];
    await first.ledger.setMonthlyCap(userId, 52);
    const asked = Array.from({ length: 40 }, (_, count) => (count % 2 === 0 ? first : second).hold(5));
    const ends = await Promise.all(asked);
    for (const hold of ends) if (hold.kind === 'hold') hold.settle(rowOf(5));
    await Promise.all([first.ledger.flush(), second.ledger.flush()]);
    expect(ends.filter(({ kind }) => kind === 'hold')).toHaveLength(10);
    const refused = ends.filter((end) => end.kind === 'insufficient');
    // credits that the other broker still held when they were refused were not available either
    expect(refused.filter(({ underCap = 5 }) => underCap < 5)).toHaveLength(30);
    expect(await account()).toMatchObject({ balance: 950 });
  });

  test('[CFG-43] once real keys are set, credits and leases of the sandbox grant nothing, and come back with its key', async () => {
    await give(100);
    const sandbox = await startBroker({ extra: 20 });
    const running = await sandbox.take(5);
    const live = await startBroker({ isLive: true });
    expect(await live.hold(5)).toMatchObject({ kind: 'insufficient', available: 0 });
    expect(await live.ledger.account(userId)).toMatchObject({ balance: 0, held: 0, available: 0, parts: [] });
    await live.ledger.setMonthlyCap(userId, 1);
    expect(await live.ledger.setBalance({ userId, credits: 8, idem: randomUUID() }, { operator: 'test' })).toBe(8);
    expect(await live.hold(8), 'over the cap of the real account').toMatchObject({ kind: 'insufficient', underCap: 1 });
    running.settle(rowOf(5));
    await sandbox.ledger.flush();
    expect(await account()).toMatchObject({ balance: 95 });
    expect((await sandbox.ledger.account(userId)).monthlyCap).toBeUndefined();
  });

  test('a call that the database refuses is not charged, and blocks no other', async () => {
    await give(100);
    const broker = await startBroker();
    const held = await Promise.all([5, 6, 7].map((credits) => broker.take(credits)));
    // PostgreSQL cannot store this number of milliseconds
    const rows = [rowOf(5), { ...rowOf(6), durationMs: 1e12 }, rowOf(7)];
    held.forEach((hold, at) => {
      const row = rows[at];
      if (row) hold.settle(row);
    });
    await broker.ledger.flush();
    expect(await account()).toEqual({ balance: 88, held: 0, available: 88 });
  });
});
