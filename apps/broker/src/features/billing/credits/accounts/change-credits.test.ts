import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import type { Database } from '#platform/db/database.ts';
import { describeOnDatabases } from '#testing/databases/databases.ts';
import { migrations } from '../../../../migrations.ts';
import { clawBackCredits, grantCredits, setCredits, type ClawBack, type CreditGrant } from './change-credits.ts';
import { expireCredits } from './expire-credits.ts';
import { checkLedger } from './check-ledger.ts';
import { readAccount } from './read-account.ts';

const livemode = false;
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000);

type GrantOf = Partial<CreditGrant> & { credits: number };

/** Changes of one user's credits, each in its own transaction. */
function personOn(db: Database) {
  const userId = randomUUID();
  const given = { userId, livemode };
  return {
    userId,
    grant: (grant: GrantOf) =>
      db.transaction((query) => grantCredits(query, { ...given, source: 'purchased', idem: randomUUID(), ...grant })),
    clawBack: (change: Pick<ClawBack, 'credits' | 'grant'> & Partial<ClawBack>) =>
      db.transaction((query) => clawBackCredits(query, { ...given, contra: 'refund', idem: randomUUID(), ...change })),
    set: (credits: number, expectedBalance?: number, idem: string = randomUUID()) =>
      db.transaction((query) =>
        setCredits(query, { ...given, credits, expectedBalance, idem, reason: 'as a present' }),
      ),
    account: () => readAccount(db.query, livemode, userId),
    /** Moves a date from the future into the past: nothing else happens to the account. */
    async expire() {
      const past = `set expires_at = now() - interval '1 minute' where expires_at is not null and user_id = $1`;
      await db.query(`update credit_lots ${past}`, [userId]);
      const soon = `set next_expiry = now() - interval '1 minute' where next_expiry is not null and user_id = $1`;
      await db.query(`update credit_accounts ${soon}`, [userId]);
    },
    async entries() {
      const { rows } = await db.query<{ delta: number; contra: string; balance_after: number; reason: string | null }>(
        'select delta, contra, balance_after, reason from ledger_entries where user_id = $1 order by id',
        [userId],
      );
      return rows;
    },
  };
}

describeOnDatabases('credits change only through the ledger', migrations, (open) => {
  let db: Database;
  // some tests break a rule of the ledger on purpose
  beforeEach(async () => {
    db = await open();
  });

  test('a fact grants credits once, however often it is reported, also concurrently', async () => {
    const ann = personOn(db);
    const purchase = { credits: 400, idem: 'stripe:cs_1:fulfil' };
    const granted = await Promise.all([1, 2, 3, 4].map(() => ann.grant(purchase)));
    expect(granted.toSorted()).toEqual([0, 0, 0, 400]);
    expect(await ann.account()).toMatchObject({ balance: 400, available: 400, held: 0, debt: 0 });
    expect(await checkLedger(db)).toEqual([]);
  });

  test('a key that has granted something else is refused, and nothing changes', async () => {
    const [ann, bob] = [personOn(db), personOn(db)];
    await ann.grant({ credits: 10, idem: 'stripe:cs_2:fulfil' });
    const again = { credits: 11, idem: 'stripe:cs_2:fulfil' };
    await expect(ann.grant(again)).rejects.toMatchObject({ code: 'key_used' });
    await expect(bob.grant({ ...again, credits: 10 })).rejects.toMatchObject({ code: 'key_used' });
    await expect(ann.grant({ ...again, credits: 10, livemode: true })).rejects.toMatchObject({ code: 'key_used' });
    expect([(await ann.account()).balance, (await bob.account()).balance]).toEqual([10, 0]);
  });

  test('credits granted to the account of an erased user expire', async () => {
    const ann = personOn(db);
    await ann.grant({ credits: 10 });
    await db.query('update credit_accounts set closed = true where user_id = $1', [ann.userId]);
    await ann.grant({ credits: 400, expiresAt: inDays(30) });
    await expireCredits(db, livemode);
    expect((await ann.entries()).map(({ delta, contra }) => [delta, contra])).toEqual([
      [10, 'purchased'],
      [400, 'purchased'],
      [-400, 'expiry'],
    ]);
    expect(await checkLedger(db)).toEqual([]);
  });

  test('the account shows where credits come from and until when they can be spent', async () => {
    const ann = personOn(db);
    const [month, week] = [inDays(30), inDays(7)];
    const now = new Date();
    await ann.grant({ credits: 400 });
    await ann.grant({ credits: 100, source: 'plan', expiresAt: month });
    await ann.grant({ credits: 20, source: 'promotional', expiresAt: week });
    await ann.grant({ credits: 5, source: 'promotional' });
    expect(await ann.account()).toEqual({
      balance: 525,
      held: 0,
      debt: 0,
      available: 525,
      parts: [
        { source: 'plan', credits: 100, expiresAt: month },
        { source: 'promotional', credits: 20, expiresAt: week },
        { source: 'promotional', credits: 5, expiresAt: undefined },
        { source: 'purchased', credits: 400, expiresAt: undefined },
      ],
      monthlyCap: undefined,
      monthEndsAt: new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)),
      spentThisMonth: 0,
    });
  });

  test('[PLAN-25] expired credits are removed immediately, without a job, and leave an entry with the next change', async () => {
    const ann = personOn(db);
    await ann.grant({ credits: 100, source: 'plan', expiresAt: inDays(1) });
    await ann.grant({ credits: 7 });
    await ann.expire();
    expect(await ann.account()).toMatchObject({
      balance: 7,
      available: 7,
      parts: [{ source: 'purchased', credits: 7 }],
    });
    await ann.grant({ credits: 1 });
    expect(await ann.account()).toMatchObject({ balance: 8 });
    expect(await ann.entries()).toMatchObject([
      { delta: 100, contra: 'plan', balance_after: 100 },
      { delta: 7, contra: 'purchased', balance_after: 107 },
      { delta: -100, contra: 'expiry', balance_after: 7 },
      { delta: 1, contra: 'purchased', balance_after: 8 },
    ]);
    expect(await checkLedger(db)).toEqual([]);
  });

  test('a refund of spent credits becomes a debt, which the next credits repay first', async () => {
    const ann = personOn(db);
    await ann.grant({ credits: 100, idem: 'cs_a' });
    await ann.set(30);
    expect(await ann.clawBack({ credits: 100, grant: 'cs_a', idem: 'refund:re_1' })).toBe(100);
    expect(await ann.account()).toMatchObject({ balance: 0, debt: 70, available: 0 });
    expect(await ann.clawBack({ credits: 100, grant: 'cs_a', idem: 'refund:re_1' }), 'reported again').toBe(0);
    await ann.grant({ credits: 50 });
    expect(await ann.account()).toMatchObject({ balance: 0, debt: 20 });
    await ann.grant({ credits: 25 });
    expect(await ann.account()).toMatchObject({ balance: 5, debt: 0, available: 5 });
    expect(await checkLedger(db)).toEqual([]);
  });

  test('a refund claws back the credits of its own purchase, and never more than it granted, in refunds and disputes together', async () => {
    const ann = personOn(db);
    await ann.grant({ credits: 100, idem: 'cs_b' });
    await ann.grant({ credits: 40, source: 'plan', expiresAt: inDays(3) });
    expect(await ann.clawBack({ credits: 60, grant: 'cs_b' })).toBe(60);
    expect(await ann.clawBack({ credits: 100, grant: 'cs_b', contra: 'dispute' })).toBe(40);
    expect(await ann.clawBack({ credits: 100, grant: 'cs_b' })).toBe(0);
    expect(await ann.clawBack({ credits: 100, grant: 'no grant' })).toBe(0);
    expect(await ann.account()).toMatchObject({ balance: 40, debt: 0, parts: [{ source: 'plan', credits: 40 }] });
    expect(await checkLedger(db)).toEqual([]);
  });

  test('credits that expired unspent are not clawed back with their payment; spent credits are', async () => {
    const ann = personOn(db);
    await ann.grant({ credits: 500 });
    await ann.grant({ credits: 200, source: 'plan', expiresAt: inDays(1), idem: 'invoice:in_1' });
    await ann.expire();
    expect(await ann.clawBack({ credits: 200, grant: 'invoice:in_1' })).toBe(0);
    expect(await ann.account()).toMatchObject({ balance: 500, debt: 0 });
    await ann.grant({ credits: 200, source: 'plan', expiresAt: inDays(1), idem: 'invoice:in_2' });
    await ann.set(650);
    await ann.expire();
    // 50 of 200 were spent: two facts together claw back no more
    expect(await ann.clawBack({ credits: 40, grant: 'invoice:in_2' })).toBe(40);
    expect(await ann.clawBack({ credits: 200, grant: 'invoice:in_2', contra: 'dispute' })).toBe(10);
    expect(await ann.account()).toMatchObject({ balance: 450, debt: 0 });
    expect(await checkLedger(db)).toEqual([]);
  });

  test('[PLAN-27] plan credits are spent first, then promotional ones, then purchased ones; within a source the soonest to expire', async () => {
    const ann = personOn(db);
    await ann.grant({ credits: 10 });
    await ann.grant({ credits: 10, source: 'promotional', expiresAt: inDays(1) });
    await ann.grant({ credits: 10, source: 'plan', expiresAt: inDays(30) });
    await ann.grant({ credits: 10, source: 'plan', expiresAt: inDays(20) });
    const parts: string[] = [];
    for (let balance = 34; balance > 0; balance -= 6) {
      await ann.set(balance);
      parts.push((await ann.account()).parts.map((part) => `${part.source} ${part.credits}`).join(', '));
    }
    expect(parts).toEqual([
      'plan 4, plan 10, promotional 10, purchased 10',
      'plan 8, promotional 10, purchased 10',
      'plan 2, promotional 10, purchased 10',
      'promotional 6, purchased 10',
      'purchased 10',
      'purchased 4',
    ]);
    expect(await checkLedger(db)).toEqual([]);
  });

  test('[USR-21] an administrator sets the balance to a number; the ledger records the difference and the reason', async () => {
    const ann = personOn(db);
    expect(await ann.set(12, 0, 'set-1')).toBe(12);
    expect(await ann.set(12, 0, 'set-1'), 'reported again').toBe(0);
    expect((await ann.account()).parts).toMatchObject([{ source: 'promotional', credits: 12 }]);
    expect(await ann.set(5, 12)).toBe(-7);
    expect(await ann.set(5, 5), 'unchanged').toBe(0);
    await expect(ann.set(9, 12)).rejects.toMatchObject({ code: 'changed_since_shown' });
    expect(await ann.entries()).toMatchObject([
      { delta: 12, contra: 'adjustment', balance_after: 12, reason: 'as a present' },
      { delta: -7, contra: 'adjustment', balance_after: 5, reason: 'as a present' },
    ]);
    expect(await checkLedger(db)).toEqual([]);
  });

  test('[CFG-43] sandbox credits and real credits are two separate accounts', async () => {
    const ann = personOn(db);
    await ann.grant({ credits: 100 });
    await ann.grant({ credits: 3, livemode: true });
    expect((await ann.account()).balance).toBe(100);
    expect((await readAccount(db.query, true, ann.userId)).balance).toBe(3);
    expect(await checkLedger(db)).toEqual([]);
  });

  test('the database refuses what our statements never do: overdrawn accounts, more held than there is, changed entries', async () => {
    const ann = personOn(db);
    await ann.grant({ credits: 10 });
    const refused = [
      'update credit_accounts set balance = -1',
      'update credit_accounts set held = 11',
      'update credit_accounts set debt = -1',
      'update credit_lots set remaining = 11',
      `insert into credit_lots (id, user_id, livemode, source, idem, granted, remaining)
       values (gen_random_uuid(), gen_random_uuid(), false, 'plan', 'x', 1, 1)`,
      'update ledger_entries set delta = 11',
      'delete from ledger_entries',
      'truncate ledger_entries',
    ];
    for (const statement of refused)
      await expect(db.query(statement), statement).rejects.toThrow(/violates|append-only/);
    expect(await checkLedger(db)).toEqual([]);
  });

  test('the check names each account whose figures do not add up', async () => {
    const [ann, bob, eve] = [personOn(db), personOn(db), personOn(db)];
    for (const person of [ann, bob, eve]) await person.grant({ credits: 10 });
    await db.query('update credit_accounts set balance = 9 where user_id = $1', [ann.userId]);
    await db.query('update credit_accounts set held = 2 where user_id = $1', [bob.userId]);
    const faults = await checkLedger(db);
    expect(faults.toSorted((a, b) => a.fault.localeCompare(b.fault))).toEqual([
      { userId: ann.userId, livemode, fault: 'entries come to 10, balance less debt to 9' },
      { userId: bob.userId, livemode, fault: 'leases come to 0, held are 2' },
      { userId: ann.userId, livemode, fault: 'lots come to 10, the balance is 9' },
    ]);
  });
});
