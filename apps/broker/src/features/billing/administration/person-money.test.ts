import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '#platform/db/database.ts';
import { describeOnDatabases } from '#testing/databases/databases.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { migrations } from '../../../migrations.ts';
import { startShop, type Shop } from '../shop/checkout/testing/shop.ts';
import { checkLedger } from '../credits/accounts/check-ledger.ts';
import { newSubscriber } from '../shop/subscriptions/testing/subscriber.ts';
import { readLedgerCalls } from './read-ledger.ts';

describeOnDatabases('the payments of a user, for administrators', migrations, (open) => {
  let db: Database;
  let shop: Shop;
  beforeAll(async () => {
    db = await open();
    shop = await startShop({ db: { ...db, close: async () => {} } });
  });
  afterAll(() => shop.stop());

  const by = { operator: 'test', reason: 'by hand' };

  test('pages of the ledger and of payments list each row once while new rows arrive', async () => {
    const ann = await newSubscriber(shop);
    const bob = await newSubscriber(shop);
    const set = (credits: number) => shop.administration.setCredits(ann.userId, { credits }, by);
    for (const credits of [10, 20, 5, 40, 30]) await set(credits);
    await shop.administration.setCredits(bob.userId, { credits: 7 }, by);
    await ann.buyCredits();
    const of = { limit: 2, show: 'all' } as const;
    const seen: [string, number][] = [];
    for (let cursor; ;) {
      const { entries, nextCursor } = await shop.administration.ledger(ann.userId, { ...of, cursor });
      seen.push(...entries.map(({ kind, change }): [string, number] => [kind, change]));
      if (seen.length === 2) await set(1_000);
      if (nextCursor === null) break;
      const [at = '', id] = nextCursor.split('_');
      cursor = { at: new Date(at), id: Number(id) };
    }
    const [{ credits = 0, bonus = 0 } = {}] = await shop.billing.offers.packages();
    expect(seen).toEqual([
      ['purchased', credits + bonus],
      ['adjustment', -10],
      ['adjustment', 35],
      ['adjustment', -15],
      ['adjustment', 10],
      ['adjustment', 10],
    ]);
    const whole = await shop.administration.paymentsOf(ann.userId, { limit: 10 });
    expect(whole).toMatchObject({ payments: [{ type: 'credit_purchase' }], nextCursor: null });
    const { rows } = await db.query<{ id: number }>('select max(id) as id from ledger_entries where user_id = $1', [
      bob.userId,
    ]);
    const entry = rows[0]?.id ?? 0;
    const ofBob = { userId: bob.userId, livemode: false };
    expect(await readLedgerCalls(db.query, ofBob, entry)).toMatchObject({ calls: [] });
    expect(await readLedgerCalls(db.query, { ...ofBob, userId: ann.userId }, entry)).toBeUndefined();
    expect(await checkLedger(db)).toEqual([]);
  });

  test('a refund counts as pending until its event arrives, and is counted only once afterwards', async () => {
    const ann = await newSubscriber(shop);
    const { intentId, price } = await ann.buyCredits();
    const back = async () => {
      const { payments } = await shop.administration.paymentsOf(ann.userId, { limit: 10 });
      return payments.find(({ type }) => type === 'credit_purchase')?.refund;
    };
    const [{ id: paymentId = '' } = {}] = (await shop.administration.paymentsOf(ann.userId, { limit: 1 })).payments;
    shop.control.pause();
    const refund = (amountCents: number, refundedCents: number) =>
      shop.administration.refund({ userId: ann.userId, paymentId }, { amountCents, refundedCents }, by);
    expect(await refund(100, 0)).toMatchObject({ result: 'refunded', amountCents: 100 });
    expect(await refund(50, 100)).toMatchObject({ result: 'refunded', amountCents: 50 });
    // not through us, but directly at the provider
    await shop.stripe.refunds.create({ payment_intent: intentId, amount: 20 });
    expect(await back()).toEqual({ refundedCents: 0, pendingCents: 150, leftCents: price - 150 });
    shop.control.resume();
    await waitUntil('all events have arrived', async () => (await ann.history()).length === 4);
    expect(await back()).toEqual({ refundedCents: 170, pendingCents: 0, leftCents: price - 170 });
    const one = await shop.administration.paymentsOf(ann.userId, { limit: 10, payment: paymentId });
    expect(one.payments.map(({ type, amount }) => [type, amount]).toSorted()).toEqual(
      [
        ['credit_purchase', price],
        ['refund', 100],
        ['refund', 20],
        ['refund', 50],
      ].toSorted(),
    );
    expect(await checkLedger(db)).toEqual([]);
  });
});
