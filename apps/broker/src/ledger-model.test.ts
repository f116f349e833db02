import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createUsageWriter, type UsageWriter } from '#features/usage/index.ts';
import { systemClock } from '#platform/clock.ts';
import { DatabaseLostError } from '#platform/db/database-errors.ts';
import type { Database } from '#platform/db/database.ts';
import { describeOnDatabases } from '#testing/databases.ts';
import { atFullSize } from '#testing/proof-size.ts';
import { migrations } from './migrations.ts';
import type { UsageRow } from '#features/billing/index.ts';
import { reclaimLeases } from '#features/billing/ledger/broker-beats.ts';
import {
  clawBackCredits,
  grantCredits,
  LedgerConflict,
  setCredits,
  type LotSource,
} from '#features/billing/ledger/change-credits.ts';
import { checkLedger, type LedgerFault } from '#features/billing/ledger/check-ledger.ts';
import { createLedger } from '#features/billing/ledger/create-ledger.ts';
import type { LeaseHold } from '#features/billing/ledger/lease-hold.ts';
import { ledgerTimes, type Ledger } from '#features/billing/ledger/ledger.ts';
import { growingLeases } from '#features/billing/ledger/lease-policy.ts';
import type { LeasePolicy } from '#features/billing/ledger/lease.ts';
import { readAccount } from '#features/billing/ledger/read-account.ts';
import { AccountModel } from '#features/billing/ledger/testing/account-model.ts';

// Sequences of everything that can happen to an account, on two brokers, beside a model of a few lines: after each step the
// account must be what the model says. Brokers are killed, and statements fail before or after their commit.

type Op =
  | { kind: 'grant'; credits: number; source: LotSource; expires: boolean; again: boolean }
  | { kind: 'claw-back'; of: number; credits: number; contra: 'refund' | 'dispute' }
  | { kind: 'set'; credits: number }
  | { kind: 'hold'; broker: 0 | 1; price: number }
  | { kind: 'end'; of: number; isCharged: boolean }
  | { kind: 'replay'; of: number; broker: 0 | 1 }
  | { kind: 'expire' }
  | { kind: 'fail'; broker: 0 | 1; when: 'before' | 'after' }
  | { kind: 'kill'; broker: 0 | 1 };

const broker = fc.constantFrom<0 | 1>(0, 1);
const credits = fc.integer({ min: 1, max: 40 });
const index = fc.nat({ max: 30 });
const hold = fc.record({ kind: fc.constant('hold' as const), broker, price: fc.integer({ min: 1, max: 20 }) });
const end = fc.record({ kind: fc.constant('end' as const), of: index, isCharged: fc.boolean() });
const op: fc.Arbitrary<Op> = fc.oneof(
  { weight: 5, arbitrary: hold },
  { weight: 5, arbitrary: end },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('grant' as const),
      credits,
      source: fc.constantFrom<LotSource>('plan', 'promotional', 'purchased'),
      expires: fc.boolean(),
      again: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('claw-back' as const),
      of: index,
      credits,
      contra: fc.constantFrom<'refund' | 'dispute'>('refund', 'dispute'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('set' as const), credits: fc.nat({ max: 60 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('replay' as const), of: index, broker }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'expire' as const }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('fail' as const),
      broker,
      when: fc.constantFrom<'before' | 'after'>('before', 'after'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('kill' as const), broker }) },
);

const livemode = false;
const log = pino({ level: 'silent' });
const sequences = atFullSize({ full: 1000, short: 25 });

/** A database whose next transaction can fail, and which can be cut off for good. */
function faulty(db: Database) {
  let next: 'before' | 'after' | undefined;
  let isCut = false;
  const lost = () => new DatabaseLostError('injected');
  return {
    fail: (when: 'before' | 'after') => (next = when),
    cut: () => (isCut = true),
    db: {
      ...db,
      query: ((text, values) => (isCut ? Promise.reject(lost()) : db.query(text, values))) as Database['query'],
      async transaction<T>(work: Parameters<typeof db.transaction<T>>[0]): Promise<T> {
        const when = next;
        next = undefined;
        if (isCut || when === 'before') throw lost();
        const result = await db.transaction(work);
        if (when === 'after') throw lost();
        return result;
      },
    },
  };
}

const exactLeases: LeasePolicy = () => 0;

async function startBroker(db: Database, usage: UsageWriter, policy: LeasePolicy) {
  const faults = faulty(db);
  const ids: string[] = [];
  const uuid = () => {
    const id = randomUUID();
    ids.push(id);
    return id;
  };
  const times = { ...ledgerTimes, stopMs: 0 };
  const options = { db: faults.db, livemode, usage, uuid, clock: systemClock, log, policy, times };
  return { ledger: await createLedger(options), faults, ids, policy };
}
type Broker = Awaited<ReturnType<typeof startBroker>>;
type HeldCall = { id: string; price: number; broker: Broker; hold: LeaseHold };

async function flush({ ledger }: { ledger: Ledger }): Promise<void> {
  for (let tries = 0; tries < 5; tries++) {
    const isDone = await ledger.flush().then(
      () => true,
      () => false,
    );
    if (isDone) return;
  }
  throw new Error('the ledger could not be written');
}

const rowOf = (userId: string, { id, price }: Pick<HeldCall, 'id' | 'price'>): UsageRow => ({
  callId: id,
  userId,
  serverId: 'paid',
  kind: 'tool',
  name: 'say',
  outcome: 'ok',
  reason: undefined,
  credits: price,
  durationMs: 1,
  clientId: 'test',
  tokenId: 'test',
  atMs: Date.now(),
});

describeOnDatabases('the ledger', migrations, (open) => {
  let db: Database;
  let usage: UsageWriter;
  let brokers: [Broker, Broker];
  beforeAll(async () => {
    db = await open();
    usage = createUsageWriter({ query: db.query, log });
  });
  afterAll(() => usage?.stop());

  test('[I1] credits add up after every sequence of changes, calls, faults and killed brokers, as in a model', async () => {
    expect(await runSequences(exactLeases, true)).toEqual([]);
  });

  test('[I1] credits add up with larger leases too, and each call is charged once', async () => {
    expect(await runSequences(growingLeases, false)).toEqual([]);
  });

  /** @returns what does not add up in the end */
  async function runSequences(policy: LeasePolicy, isAsModel: boolean): Promise<LedgerFault[]> {
    brokers = [await startBroker(db, usage, policy), await startBroker(db, usage, policy)];
    const sequence = fc.array(op, { minLength: 5, maxLength: 30 });
    const property = fc.asyncProperty(sequence, (ops) => runSequence(ops, isAsModel));
    await fc.assert(property, { numRuns: sequences, endOnFailure: true });
    for (const { ledger } of brokers) await ledger.stop();
    return checkLedger(db);
  }

  /** @param isAsModel what an account shows is compared too: larger leases hold more than the calls under way */
  async function runSequence(ops: readonly Op[], isAsModel: boolean): Promise<void> {
    const userId = randomUUID();
    const model = new AccountModel();
    let under: HeldCall[] = [];
    const charged: HeldCall[] = [];
    const grants: { idem: string; credits: number; source: LotSource; expiresAt?: Date }[] = [];

    for (const one of ops) {
      await run(one);
      for (const each of brokers) await flush(each);
      if (isAsModel) expect(await shown(), JSON.stringify(one)).toEqual(model.shown());
    }
    for (const call of under) call.hold.release();
    for (const each of brokers) await flush(each);
    await compareEntries();

    async function run(one: Op): Promise<unknown> {
      switch (one.kind) {
        case 'grant':
          return grant(one);
        case 'claw-back': {
          const idem = grants[one.of % Math.max(1, grants.length)]?.idem ?? 'of nobody';
          const expected = model.clawBack(idem, one.credits);
          const change = {
            userId,
            livemode,
            credits: one.credits,
            contra: one.contra,
            grant: idem,
            idem: randomUUID(),
          };
          return expect(await db.transaction((query) => clawBackCredits(query, change))).toBe(expected);
        }
        case 'set': {
          const idem = randomUUID();
          const expected = model.set(idem, one.credits);
          const change = { userId, livemode, credits: one.credits, idem };
          const result = await db.transaction((query) => setCredits(query, change)).catch((error: unknown) => error);
          if (!isAsModel) return undefined;
          if (expected === undefined) return expect(result).toBeInstanceOf(LedgerConflict);
          return expect(result).toBe(expected);
        }
        case 'hold':
          return makeCall(one.broker, one.price);
        case 'end':
          return endCall(one.of, one.isCharged);
        case 'replay': {
          const call = charged[one.of % Math.max(1, charged.length)];
          if (!call) return undefined;
          const made = await brokers[one.broker].ledger.hold(pricedCall(call, true));
          return expect(made).toEqual({ kind: 'settled' });
        }
        case 'expire':
          model.expire();
          return expireLots();
        case 'fail':
          return brokers[one.broker].faults.fail(one.when);
        case 'kill':
          return kill(one.broker);
      }
    }

    function pricedCall({ id, price }: Pick<HeldCall, 'id' | 'price'>, isContinued = false) {
      return { callId: id, userId, serverId: 'paid', tool: 'say', credits: price, isContinued };
    }

    async function grant({ credits, source, expires, again }: Extract<Op, { kind: 'grant' }>) {
      const known = again ? grants.at(-1) : undefined;
      const expiresAt = new Date(Date.now() + 3_600_000);
      const given = known ?? { idem: randomUUID(), credits, source, ...(expires && { expiresAt }) };
      const added = await db.transaction((query) => grantCredits(query, { userId, livemode, ...given }));
      expect(added).toBe(known ? 0 : credits);
      if (known) return;
      grants.push(given);
      model.grant({ ...given, expiry: expires ? 'later' : 'never' }, credits);
    }

    async function makeCall(at: 0 | 1, price: number) {
      const id = randomUUID();
      const { available } = model;
      const made = await brokers[at].ledger.hold(pricedCall({ id, price }));
      const isHeld = model.hold(price);
      if (isAsModel && !isHeld) return expect(made).toEqual({ kind: 'insufficient', available });
      if (!isAsModel && !('settle' in made)) return undefined;
      if (!('settle' in made)) throw new Error(`refused with ${available} available: ${JSON.stringify(made)}`);
      under.push({ id, price, broker: brokers[at], hold: made });
      return undefined;
    }

    function endCall(of: number, isCharged: boolean) {
      const [call] = under.splice(of % Math.max(1, under.length), 1);
      if (!call) return;
      if (isCharged) {
        call.hold.settle(rowOf(userId, call));
        model.settle(call.price);
        charged.push(call);
      } else {
        call.hold.release();
        model.release(call.price);
      }
    }

    /** What it has written is there; its calls under way are never charged. */
    async function kill(at: 0 | 1) {
      const dead = brokers[at];
      dead.faults.cut();
      await dead.ledger.stop();
      await db.query('delete from credit_brokers where id = any($1::uuid[])', [dead.ids]);
      await reclaimLeases(db, randomUUID(), ledgerTimes.lifeMs);
      for (const call of under) if (call.broker === dead) model.release(call.price);
      under = under.filter((call) => call.broker !== dead);
      brokers[at] = await startBroker(db, usage, dead.policy);
    }

    async function expireLots() {
      const past = `now() - interval '1 minute'`;
      const mine = 'user_id = $1';
      await db.query(`update credit_lots set expires_at = ${past} where expires_at > now() and ${mine}`, [userId]);
      await db.query(`update credit_accounts set next_expiry = ${past} where next_expiry > now() and ${mine}`, [
        userId,
      ]);
    }

    async function shown() {
      const { balance, held, debt, available, parts } = await readAccount(db.query, livemode, userId);
      const bySource: Record<string, number> = {};
      for (const part of parts) bySource[part.source] = (bySource[part.source] ?? 0) + part.credits;
      return { balance, held, debt, available, parts: bySource };
    }

    /** Each call that was settled is charged once, and shown once with the same credits; no other is. */
    async function compareEntries() {
      const { rows: entries } = await db.query<{ idem: string; delta: number }>(
        `select idem, delta from ledger_entries where user_id = $1 and contra = 'usage'`,
        [userId],
      );
      const expected = charged.map((call) => ({ idem: `call:${call.id}`, delta: -call.price }));
      const byIdem = (a: { idem: string }, b: { idem: string }) => a.idem.localeCompare(b.idem);
      expect(entries.toSorted(byIdem)).toEqual(expected.toSorted(byIdem));
      const { rows } = await db.query<{ calls: number; credits: number }>(
        'select count(*) as calls, coalesce(sum(credits), 0)::bigint as credits from usage_events where user_id = $1',
        [userId],
      );
      expect(rows).toEqual([{ calls: charged.length, credits: charged.reduce((sum, { price }) => sum + price, 0) }]);
    }
  }
});
