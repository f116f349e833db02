import { randomInt, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { paidRow } from '#features/billing/credits/testing/paid-row.ts';
import { createUsageWriter, type UsageWriter } from '#features/usage/index.ts';
import type { Database } from '#platform/db/database.ts';
import { describeOnDatabases } from '#testing/databases/databases.ts';
import { atFullSize, printFigure } from '#testing/figures/proof-size.ts';
import { migrations } from '../migrations.ts';
import { reclaimLeases } from '#features/billing/credits/broker-beats.ts';
import {
  clawBackCredits,
  grantCredits,
  LedgerConflict,
  setCredits,
  type LotSource,
} from '#features/billing/credits/accounts/change-credits.ts';
import { checkLedger, type LedgerFault } from '#features/billing/credits/accounts/check-ledger.ts';
import type { LeaseHold } from '#features/billing/credits/leases/lease-hold.ts';
import { ledgerTimes } from '#features/billing/credits/ledger.ts';
import { growingLeases } from '#features/billing/credits/leases/lease-policy.ts';
import type { LeasePolicy } from '#features/billing/credits/leases/lease.ts';
import { readAccount } from '#features/billing/credits/accounts/read-account.ts';
import { AccountModel } from '#features/billing/credits/testing/account-model.ts';
import { flush, startFaultyBroker, type FaultyBroker } from '#features/billing/credits/testing/faulty-broker.ts';
import { ledgerOp, type LedgerOp } from '#features/billing/credits/testing/ledger-ops.ts';

// Sequences of everything that can happen to an account, on two brokers, next to a model of a few lines: after each
// step the account must match the model. Brokers are killed, and statements fail before or after their commit.

const livemode = false;
const log = pino({ level: 'silent' });
const sequences = atFullSize({ full: 1000, short: 8 });
const replayed = atFullSize({ full: 200, short: 3 });

const sequence = fc.array(ledgerOp, { minLength: 5, maxLength: 30 });

const exactLeases: LeasePolicy = () => 0;

type HeldCall = { id: string; price: number; broker: FaultyBroker; hold: LeaseHold };

type Priced = Pick<HeldCall, 'id' | 'price'>;

/** Some calls asked their client something before they were charged: only such a call can come again. */
const hasAsked = ({ price }: Priced) => price % 2 === 0;

const rowOf = (userId: string, call: Priced) => ({
  ...paidRow(userId, call.price, call.id),
  ...(hasAsked(call) && { rounds: 2 }),
});

describeOnDatabases('the ledger', migrations, (open) => {
  let db: Database;
  let usage: UsageWriter;
  let brokers: [FaultyBroker, FaultyBroker];
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

  test('[I12] a seed replays its sequences: every step shows the same account, and every entry is the same', async () => {
    const seed = randomInt(2 ** 31);
    const [first, second] = [await trace(seed), await trace(seed)];
    expect(second, `seed ${seed}`).toEqual(first);
    const other = await trace(seed + 1);
    expect(other).not.toEqual(first);
    printFigure(`${db.engine}: seed ${seed}, ${replayed} sequences and ${first.length} steps twice, 0 differ`);
  });

  /** Returns what each step of a seed's sequences shows, and the entries that each sequence leaves. */
  async function trace(seed: number): Promise<string[]> {
    brokers = [await startFaultyBroker(db, usage, exactLeases), await startFaultyBroker(db, usage, exactLeases)];
    const steps: string[] = [];
    const property = fc.asyncProperty(sequence, (ops) => runSequence(ops, true, (step) => steps.push(step)));
    await fc.assert(property, { seed, numRuns: replayed, endOnFailure: true });
    for (const { ledger } of brokers) await ledger.stop();
    return steps;
  }

  /** @returns what does not add up in the end */
  async function runSequences(policy: LeasePolicy, isAsModel: boolean): Promise<LedgerFault[]> {
    brokers = [await startFaultyBroker(db, usage, policy), await startFaultyBroker(db, usage, policy)];
    const property = fc.asyncProperty(sequence, (ops) => runSequence(ops, isAsModel));
    await fc.assert(property, { numRuns: sequences, endOnFailure: true });
    for (const { ledger } of brokers) await ledger.stop();
    const faults = await checkLedger(db);
    const leases = policy === exactLeases ? 'leases as held' : 'larger leases';
    printFigure(`${db.engine}, ${leases}: ${sequences} sequences, ${faults.length} differences`);
    return faults;
  }

  /**
   * @param isAsModel whether the shown account is compared too: larger leases hold more than the running calls
   * @param tell receives what each step shows, and what the ledger says in the end
   */
  async function runSequence(
    ops: readonly LedgerOp[],
    isAsModel: boolean,
    tell: (step: string) => void = () => {},
  ): Promise<void> {
    const userId = randomUUID();
    const model = new AccountModel();
    let under: HeldCall[] = [];
    const charged: HeldCall[] = [];
    const grants: { idem: string; credits: number; source: LotSource; expiresAt?: Date }[] = [];

    for (const one of ops) {
      await run(one);
      for (const each of brokers) await flush(each);
      if (!isAsModel) continue;
      const now = await shown();
      expect(now, JSON.stringify(one)).toEqual(model.shown());
      tell(JSON.stringify([one, now]));
    }
    for (const call of under) call.hold.release();
    for (const each of brokers) await flush(each);
    await compareEntries();
    const { rows: entries } = await db.query<{ delta: number; contra: string; calls: number }>(
      'select delta, contra, cardinality(calls) as calls from ledger_entries where user_id = $1 order by id',
      [userId],
    );
    tell(JSON.stringify(entries));

    async function run(one: LedgerOp): Promise<unknown> {
      switch (one.kind) {
        case 'grant':
          return grant(one);
        case 'claw-back': {
          const idem = grants[one.of % Math.max(1, grants.length)]?.idem ?? 'no grant';
          const expected = model.clawBack(idem, one.credits);
          const change = {
            userId,
            livemode,
            credits: one.credits,
            contra: one.contra,
            grant: idem,
            idem: randomUUID(),
          };
          const taken = await db.transaction((query) => clawBackCredits(query, change));
          // expired credits can still be clawed back while a lease holds them, and larger leases hold more than the
          // running calls
          return isAsModel ? expect(taken).toBe(expected) : expect(taken).toBeLessThanOrEqual(one.credits);
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
          const asked = charged.filter(hasAsked);
          const call = asked[one.of % Math.max(1, asked.length)];
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

    function pricedCall({ id, price }: Priced, isContinued = false) {
      return { callId: id, userId, serverId: 'paid', tool: 'say', credits: price, isContinued };
    }

    async function grant({ credits, source, expires, again }: Extract<LedgerOp, { kind: 'grant' }>) {
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

    /** Kills a broker: what it has written stays, and its running calls are never charged. */
    async function kill(at: 0 | 1) {
      const dead = brokers[at];
      dead.faults.cut();
      await dead.ledger.stop();
      await db.query('delete from credit_brokers where id = any($1::uuid[])', [dead.ids]);
      await reclaimLeases(db, randomUUID(), ledgerTimes.lifeMs, (call) => expect.unreachable(call.row.callId));
      for (const call of under) if (call.broker === dead) model.release(call.price);
      under = under.filter((call) => call.broker !== dead);
      brokers[at] = await startFaultyBroker(db, usage, dead.policy);
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

    /** Checks that each settled call is charged once, and shown once with the same credits, and no other. */
    async function compareEntries() {
      const { rows: entries } = await db.query<{ delta: number; calls: string[] }>(
        `select delta, calls from ledger_entries where user_id = $1 and contra = 'usage'`,
        [userId],
      );
      expect(entries.flatMap(({ calls }) => calls).toSorted()).toEqual(charged.map(({ id }) => id).toSorted());
      const prices = new Map(charged.map(({ id, price }) => [id, price]));
      for (const { delta, calls } of entries) {
        expect(delta).toBe(-calls.reduce((sum, id) => sum + (prices.get(id) ?? NaN), 0));
      }
      const { rows } = await db.query<{ calls: number; credits: number }>(
        'select count(*) as calls, coalesce(sum(credits), 0)::bigint as credits from usage_events where user_id = $1',
        [userId],
      );
      expect(rows).toEqual([{ calls: charged.length, credits: charged.reduce((sum, { price }) => sum + price, 0) }]);
    }
  }
});
