import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Database } from '#platform/db/database.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { describeOnPostgres } from '#testing/databases/databases.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { migrations } from '../../../../migrations.ts';
import type { Shop } from '../checkout/testing/shop.ts';
import { startTwoShops } from '../checkout/testing/two-shops.ts';
import { checkLedger } from '../../credits/accounts/check-ledger.ts';
import { giveClock, newSubscriber, type Subscriber } from '../subscriptions/testing/subscriber.ts';

describeOnPostgres('two brokers and their refunds', migrations, (open) => {
  let db: Database;
  let shop: Shop;
  let other: Shop;
  beforeAll(async () => {
    db = await open();
    [shop, other] = await startTwoShops(db);
    const connection = { type: 'http', url: 'https://nowhere.souk.test/mcp' };
    for (const one of [shop, other])
      await deployManifest(one, { id: 'top', connection, billing: { tier: 'T3', rental: { price: 900 } } }, 'unasked');
  });
  afterEach(async () => {
    const [fault] = await checkLedger(db);
    if (fault) throw new Error(fault.fault);
  });
  afterAll(async () => {
    await other?.stop();
    await shop?.stop();
  });

  const by = { operator: 'test' };
  const refunds = async (subscription: string) => {
    const { data: invoices } = await shop.stripe.invoices.list({ subscription });
    const { data } = await shop.stripe.refunds.list({ limit: 100 });
    const intents = await Promise.all(
      invoices.map(async ({ id = '' }) => (await shop.stripe.invoicePayments.list({ invoice: id })).data),
    );
    const ofIt = new Set(intents.flat().map(({ payment }) => payment.payment_intent));
    return data.filter((one) => ofIt.has(String(one.payment_intent))).map(({ amount }) => amount);
  };
  const remove = ({ administration }: Shop, { userId }: Subscriber, id = '') =>
    administration.remove(userId, id, { ...by, refund: 'prorata' }).then(
      ({ refund }) => refund?.result,
      (error: { code?: string }) => error.code,
    );

  test('two administrators who refund one rental concurrently refund it once, and one of them is told', async () => {
    const ann = await newSubscriber(shop);
    const paymentId = await ann.rent('top');
    const { id } = (await ann.rental()) ?? {};
    const told = await Promise.all([shop, other, shop, other].map((broker) => remove(broker, ann, id)));
    expect(told.toSorted()).toEqual(['not_found', 'not_found', 'not_found', 'refunded']);
    expect(await refunds(paymentId)).toEqual([899]);
    const { rows } = await db.query(`select action from audit_log where subject = $1 and action = 'access.removed'`, [
      ann.userId,
    ]);
    expect(rows).toHaveLength(1);
  });

  async function endAndPay({ db, administration }: Pick<typeof shop, 'db' | 'administration'>, ids: string[]) {
    await db.transaction((query) => administration.refundedRentals.end(query, 'top', ids, by));
    return administration.refundedRentals.pay('top', ids);
  }

  test('if two administrators delete a server concurrently, each of its rentals is refunded once', async () => {
    const people = [await newSubscriber(shop), await newSubscriber(shop), await newSubscriber(shop)];
    const paid = [];
    for (const person of people) paid.push(await person.rent('top'));
    const ids = await Promise.all(people.map(async (one) => (await one.rental())?.id ?? ''));
    const answers = await Promise.all(
      [shop, other, shop].map((broker, index) => endAndPay(broker, index === 1 ? ids.toReversed() : ids)),
    );
    // the second one may see a refund that the first is still making
    for (const answer of answers) for (const { result } of answer) expect(['refunded', 'pending']).toContain(result);
    for (const one of paid) expect(await refunds(one)).toEqual([899]);
    const again = await endAndPay(other, ids);
    expect(again.map(({ result }) => result)).toEqual(['refunded', 'refunded', 'refunded']);
  });

  test('if the answer to a refund was lost, the jobs of both brokers find the refund, and make no other', async () => {
    const ann = await newSubscriber(shop);
    const paymentId = await ann.subscribe('basic');
    const { id } = (await ann.plan()) ?? {};
    await remove(shop, ann, id);
    const [made] = await refunds(paymentId);
    await db.query(
      `update access_refunds set state = 'wanted', done_at = null, next_at = now() - interval '1 minute' where access_id = $1`,
      [id],
    );
    const [refund] = (await shop.billing.payments?.refunds.find([id ?? ''])) ?? [];
    if (!refund) throw new Error('the refund is not there');
    await Promise.all(
      [shop, other, shop, other].map(({ billing }, index) =>
        index < 2 ? billing.payments?.refunds.payDue() : billing.payments?.refunds.payAll([refund]),
      ),
    );
    expect(await refunds(paymentId)).toEqual([made]);
    expect(await shop.billing.payments?.refunds.find([id ?? ''])).toMatchObject([{ state: 'refunded', amount: made }]);
  });

  test('a removal while the event of a renewal is processed refunds the renewal, once, and claws back its credits', async () => {
    const ann = await newSubscriber(shop);
    const paymentId = await ann.subscribe('basic');
    const { id } = (await ann.plan()) ?? {};
    const month = await ann.credits();
    const clock = await giveClock(shop, paymentId);
    [shop, other].forEach(({ control }) => control.pause());
    await clock.advancePastRenewal();
    const sync = (broker: Shop) => broker.billing.payments?.subscriptions.sync(paymentId);
    // our own clock is at the beginning of the first period: both months are left
    const [told] = await Promise.all([remove(shop, ann, id), sync(other), sync(shop), sync(other)]);
    [shop, other].forEach(({ control }) => control.resume());
    expect(told).toBe('refunded');
    const paidBack = await refunds(paymentId);
    expect(paidBack).toHaveLength(2);
    await waitUntil('the history has both refunds', async () => {
      const rows = await ann.history();
      return rows.filter((row) => row.startsWith('refund')).length === 2;
    });
    expect(await ann.plan()).toBeUndefined();
    expect(await ann.credits(), 'credits of both months were clawed back').toBeLessThan(month / 100 + 2);
  });
});
