import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { beforeEach, expect, test } from 'vitest';
import { enrolBroker, reclaimLeases } from '#features/billing/credits/broker-beats.ts';
import { grantCredits } from '#features/billing/credits/accounts/change-credits.ts';
import { checkLedger } from '#features/billing/credits/accounts/check-ledger.ts';
import type { LedgerTimes } from '#features/billing/credits/ledger.ts';
import { recordEndedCalls } from '#features/billing/credits/settle/ended-calls.ts';
import { readCalls } from '#features/billing/credits/settle/ended-calls-text.ts';
import { grantLeases } from '#features/billing/credits/leases/grant-leases.ts';
import { readAccount } from '#features/billing/credits/accounts/read-account.ts';
import { flush, startFaultyBroker, type FaultyBroker } from '#features/billing/credits/testing/faulty-broker.ts';
import { paidRow } from '#features/billing/credits/testing/paid-row.ts';
import type { UsageRow } from '#features/billing/index.ts';
import { createUsageWriter } from '#features/usage/index.ts';
import type { Database } from '#platform/db/database.ts';
import { describeOnDatabases } from '#testing/databases/databases.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { migrations } from '../migrations.ts';

// Ended calls that are not charged yet: how they are recorded, and how other brokers process the records of a broker
// that ended.

const livemode = false;
const log = pino({ level: 'silent' });
const late = { settleMs: 600_000 };

describeOnDatabases('ended calls', migrations, (open) => {
  let db: Database;
  let userId: string;
  const refused: [string, unknown][] = [];
  // the next broker finds the records of a broker that ended
  beforeEach(async () => {
    refused.length = 0;
    db = await open();
    userId = await newPerson();
  });

  async function newPerson(): Promise<string> {
    const id = randomUUID();
    const grant = { userId: id, livemode, credits: 10_000, source: 'purchased' as const, idem: randomUUID() };
    await db.transaction((query) => grantCredits(query, grant));
    return id;
  }

  const start = (over: Partial<LedgerTimes>) =>
    startFaultyBroker(db, createUsageWriter({ query: db.query, log }), () => 20, over);

  async function call({ ledger }: FaultyBroker, of: string, change: Partial<UsageRow> = {}): Promise<UsageRow> {
    const row = { ...paidRow(of, 5), ...change };
    const made = await ledger.hold({ callId: row.callId, userId: of, serverId: 'paid', tool: 'say', credits: 5 });
    if (made.kind !== 'hold') throw new Error(`refused: ${made.kind}`);
    made.settle(row);
    return row;
  }

  async function notes(): Promise<UsageRow[]> {
    const { rows } = await db.query<{ calls: string }>('select calls from credit_ended_calls order by id');
    return rows.flatMap(({ calls }) => readCalls(calls).map(({ row }) => row));
  }

  async function end(broker: FaultyBroker): Promise<void> {
    broker.faults.cut();
    await broker.ledger.stop();
    await db.query('delete from credit_brokers where id = any($1::uuid[])', [broker.ids]);
  }

  const reclaim = () =>
    reclaimLeases(db, randomUUID(), 60_000, ({ row }, error) => refused.push([row.callId, (error as Error).message]));

  async function charged(of: string) {
    const { rows: entries } = await db.query<{ call: string }>(
      `select unnest(calls) as call from ledger_entries where user_id = $1 and contra = 'usage'`,
      [of],
    );
    const { rows: usage } = await db.query<{ call_id: string; credits: number }>(
      'select call_id, credits from usage_events where user_id = $1',
      [of],
    );
    const { balance, held } = await readAccount(db.query, livemode, of);
    return { entries: entries.map(({ call: callId }) => callId), usage, balance, held };
  }
  const chargedOnce = ({ callId }: UsageRow) => ({
    entries: [callId],
    usage: [{ call_id: callId, credits: 5 }],
    balance: 9995,
    held: 0,
  });

  test.each([
    ['', {}],
    [' (of two rounds)', { rounds: 2 }],
  ])('outlive their broker: another one charges them once, however often they are found%s', async (_name, change) => {
    const broker = await start(late);
    const row = await call(broker, userId, change);
    await waitUntil('the notes', async () => (await notes()).length === 1);
    await end(broker);
    expect(await charged(userId)).toEqual({ entries: [], usage: [], balance: 10_000, held: 25 });
    const kept = await db.query<{ values: unknown[] }>(
      'select jsonb_build_array(id, broker_id, livemode, calls) as values from credit_ended_calls',
    );
    await Promise.all([reclaim(), reclaim()]);
    await db.query('insert into credit_ended_calls values ($1, $2, $3, $4)', kept.rows[0]?.values ?? []);
    await reclaim();
    expect(await charged(userId)).toEqual(chargedOnce(row));
    expect(await notes()).toEqual([]);
    expect(refused).toEqual([]);
    expect(await checkLedger(db)).toEqual([]);
  });

  /** Ends concurrent calls of one user; each result is undefined, or waits for its record. */
  async function endTogether({ ledger }: FaultyBroker, count: number): Promise<(Promise<void> | undefined)[]> {
    const rows = Array.from({ length: count }, () => paidRow(userId, 5));
    const holds = await Promise.all(
      rows.map(({ callId }) => ledger.hold({ callId, userId, serverId: 'paid', tool: 'say', credits: 5 })),
    );
    return holds.map((hold, index) => {
      const row = rows[index];
      if (hold.kind !== 'hold' || !row) throw new Error(`refused: ${hold.kind}`);
      return hold.settle(row);
    });
  }

  test('[I3] ten are answered without a record; further answers wait for theirs', async () => {
    const broker = await start({ ...late, unnotedMs: 600_000 });
    const note = broker.faults.holdNotes();
    const answers = await endTogether(broker, 30);
    expect(answers.filter((answer) => answer === undefined)).toHaveLength(10);
    let answered = 0;
    for (const answer of answers) void answer?.then(() => (answered += 1));
    await note.sent;
    expect(answered).toBe(0);
    note.release();
    await Promise.all(answers);
    expect(await notes()).toHaveLength(30);
    // recorded calls make room
    expect(await endTogether(broker, 1)).toEqual([undefined]);
  });

  test('[I3] a database that accepts no records, or is silent, delays no answer', async () => {
    const refusing = await start({ ...late, unnotedMs: 600_000 });
    const holding = refusing.faults.holdNotes();
    const answers = await endTogether(refusing, 30);
    await holding.sent;
    refusing.faults.cut();
    holding.release();
    await Promise.all(answers);

    const silent = await start({ ...late, unnotedMs: 1 });
    silent.faults.holdNotes();
    await Promise.all(await endTogether(silent, 30));
    expect((await notes()).length).toBeLessThanOrEqual(30);
  });

  test('make further calls wait when more than 10,000 are not charged', async () => {
    const broker = await start({});
    const priced = () => ({ callId: randomUUID(), userId, serverId: 'paid', tool: 'say', credits: 1 });
    const { ledger } = broker;
    const more = { livemode, userId, credits: 10_000, source: 'purchased' as const, idem: randomUUID() };
    await db.transaction((query) => grantCredits(query, more));
    const holds = await Promise.all(Array.from({ length: 10_001 }, () => ledger.hold(priced())));
    for (const hold of holds) if (hold.kind === 'hold') hold.settle(paidRow(userId, 1));
    const another = await ledger.hold(priced());
    expect(another.kind).toBe('hold');
    expect((await readAccount(db.query, livemode, userId)).balance).toBeLessThan(20_000);
    if (another.kind === 'hold') another.release();
    await flush(broker);
    expect((await readAccount(db.query, livemode, userId)).balance).toBe(9_999);
    await end(broker);
  });

  test('are recorded, and silently charged by their own broker', async () => {
    const broker = await start({});
    const row = await call(broker, userId);
    await waitUntil('the charge', async () => (await charged(userId)).entries.length === 1);
    await waitUntil('the notes', async () => (await notes()).length === 0);
    await flush(broker);
    await broker.ledger.stop();
    await end(broker);
    await reclaim();
    expect(await charged(userId)).toEqual(chargedOnce(row));
  });

  test.each(['before', 'after'] as const)(
    'are recorded again if the database was lost %s the first time',
    async (when) => {
      const broker = await start({ settleMs: 1 });
      await call(broker, userId);
      await waitUntil('the charge', async () => (await charged(userId)).entries.length === 1);
      broker.faults.fail(when);
      await call(broker, userId);
      await waitUntil('the charge', async () => (await charged(userId)).entries.length === 2);
      await end(broker);
      await reclaim();
      expect(await charged(userId)).toMatchObject({ balance: 9990, held: 0 });
    },
  );

  test('are charged even if the database refuses one of them', async () => {
    const broker = await start(late);
    const other = await newPerson();
    const bad = await call(broker, userId, { outcome: 'nonsense' as UsageRow['outcome'] });
    const row = await call(broker, other);
    await waitUntil('the notes', async () => (await notes()).length === 2);
    await end(broker);
    await reclaim();
    expect(refused).toEqual([[bad.callId, expect.stringContaining('outcome')]]);
    expect(await charged(userId)).toEqual({ entries: [], usage: [], balance: 10_000, held: 0 });
    expect(await charged(other)).toEqual(chargedOnce(row));
    expect(await notes()).toEqual([]);
  });

  test('of a busy account stay, and so does its lease, until it is free', async ({ skip }) => {
    skip(db.engine === 'pglite', 'it has one connection');
    const broker = await start(late);
    const row = await call(broker, userId);
    await waitUntil('the notes', async () => (await notes()).length === 1);
    await end(broker);
    const isLocked = Promise.withResolvers<void>();
    const isDone = Promise.withResolvers<void>();
    const other = db.transaction(async (query) => {
      await query('select from credit_accounts where user_id = $1 for update', [userId]);
      isLocked.resolve();
      await isDone.promise;
    });
    await isLocked.promise;
    await reclaim();
    isDone.resolve();
    await other;
    expect(await charged(userId)).toEqual({ entries: [], usage: [], balance: 10_000, held: 25 });
    await reclaim();
    expect(await charged(userId)).toEqual(chargedOnce(row));
  });

  test('keep their lease until they are charged, however many there are', async () => {
    const [brokerId, leaseId] = [randomUUID(), randomUUID()];
    await enrolBroker(db.query, brokerId);
    const ask = { leaseId, userId, need: 5, demand: 2000, extra: 0, callId: undefined };
    await grantLeases(db.query, livemode, brokerId, [ask]);
    for (let count = 0; count < 330; count++) {
      const ended = { lease: { id: leaseId }, isAbort: false, row: paidRow(userId, 5) };
      await recordEndedCalls(db.query, livemode, brokerId, randomUUID(), [ended]);
    }
    await db.query('delete from credit_brokers where id = $1', [brokerId]);
    await reclaim();
    expect(await charged(userId)).toMatchObject({ balance: 10_000 - 320 * 5, held: 2000 - 320 * 5 });
    await reclaim();
    expect(await charged(userId)).toMatchObject({ balance: 10_000 - 330 * 5, held: 0 });
  });
});
