import { listTransactions } from '@souk/contract/billing/billing-history.ts';
import { createClient } from '@souk/contract/client.ts';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { describeOnEmbedded } from '#testing/databases/databases.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { startShop, type Shop } from '../checkout/testing/shop.ts';
import { checkLedger } from '../../credits/accounts/check-ledger.ts';
import { newSubscriber, type Subscriber } from '../subscriptions/testing/subscriber.ts';
import { migrations } from '../../../../migrations.ts';

describeOnEmbedded('disputes', migrations, (open) => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await startShop({ db: await open() });
  });
  afterEach(async () => {
    const [fault] = await checkLedger(shop.db);
    if (fault) throw new Error(fault.fault);
  });
  afterAll(() => shop?.stop());

  /** Returns the dispute as the owner of the payment sees it in the history. */
  async function disputeSeen({ userId, accessToken }: Subscriber) {
    const api = createClient([listTransactions] as const, {
      baseUrl: shop.publicUrl,
      fetch,
      token: async () => accessToken,
    });
    const { data } = await api.listTransactions({ params: { userId }, query: { type: 'credit_purchase' } });
    return data.transactions.map(({ dispute }) => dispute);
  }

  async function returned({ userId }: Subscriber) {
    const { rows } = await shop.db.query(
      `select status, amount, currency, description from transactions where user_id = $1 and type = 'refund'`,
      [userId],
    );
    return rows;
  }

  test('a dispute is recorded in its own amount and currency; all credits of its payment are clawed back', async () => {
    const ann = await newSubscriber(shop);
    const { chargeId, price } = await ann.buyCredits();
    const dispute = await shop.control.openDispute(chargeId, { amount: price - 90, currency: 'eur' });
    await waitUntil('they are frozen', async () => (await ann.credits()) === 0);
    await shop.control.closeDispute(dispute, 'lost');
    await waitUntil('it is lost', async () => (await returned(ann)).length === 1);
    expect(await returned(ann)).toMatchObject([{ status: 'completed', amount: price - 90, currency: 'EUR' }]);
    expect(await ann.history()).toContain(`credit_purchase refunded ${price}`);
  });

  test('a partial dispute claws back its part of the credits, and the payment is not shown as refunded', async () => {
    const ann = await newSubscriber(shop);
    const { chargeId, price, credits } = await ann.buyCredits();
    const dispute = await shop.control.openDispute(chargeId, { amount: price / 4 });
    await waitUntil('a part is frozen', async () => (await ann.credits()) === credits - Math.ceil(credits / 4));
    expect(await disputeSeen(ann)).toEqual([{ state: 'to-answer', credits: Math.ceil(credits / 4) }]);
    await shop.control.closeDispute(dispute, 'lost');
    await waitUntil('it is lost', async () => (await returned(ann)).length === 1);
    expect(await returned(ann)).toMatchObject([{ amount: price / 4, currency: 'USD' }]);
    expect(await ann.history()).toContain(`credit_purchase completed ${price}`);
  });

  test('a dispute that the bank settled by returning the money claws back the credits; a blocked dispute claws back nothing', async () => {
    const [ann, bob] = [await newSubscriber(shop), await newSubscriber(shop)];
    const [settled, blocked] = [await ann.buyCredits(), await bob.buyCredits()];
    const one = await shop.control.openDispute(settled.chargeId, { caseType: 'resolution' });
    await shop.control.closeDispute(one, 'prevented');
    const other = await shop.control.openDispute(blocked.chargeId, { caseType: 'block' });
    await shop.control.closeDispute(other, 'prevented');
    await waitUntil('one is in the history', async () => (await returned(ann)).length === 1);
    await shop.billing.payments?.events.idle();
    expect(await returned(ann)).toMatchObject([{ status: 'completed', amount: settled.price }]);
    expect(await ann.credits()).toBe(0);
    await waitUntil('the other payments remain', async () => (await bob.credits()) === blocked.credits);
    expect([...(await disputeSeen(ann)), ...(await disputeSeen(bob))], 'the history has only the refund').toEqual([
      null,
      null,
    ]);
    expect(await returned(bob)).toEqual([]);
  });

  test('without any event, the daily look follows each dispute once, also one that was stored without its payment', async () => {
    const find = async () => shop.billing.payments?.clawback.findMissedDisputes();
    await shop.billing.payments?.events.idle();
    expect(await find()).toBe(0);
    const [ann, bob] = [await newSubscriber(shop), await newSubscriber(shop)];
    const [first, second] = [await ann.buyCredits(), await bob.buyCredits()];
    shop.control.drop(1000);
    const dispute = await shop.control.openDispute(first.chargeId);
    const inquiry = await shop.control.openDispute(second.chargeId, { status: 'warning_needs_response' });
    expect(await find()).toBe(2);
    expect(await ann.credits()).toBe(0);
    expect(await bob.credits()).toBe(second.credits);
    const { rows } = await shop.db.query(
      'select id, user_id, status from disputes where id in ($1, $2) order by status',
      [dispute, inquiry],
    );
    expect(rows).toEqual([
      { id: dispute, user_id: ann.userId, status: 'needs_response' },
      { id: inquiry, user_id: bob.userId, status: 'warning_needs_response' },
    ]);
    expect(await find()).toBe(0);
    // as an upgrade of Souk left open disputes
    await shop.db.query('update disputes set payment_intent_id = null where id = $1', [dispute]);
    expect(await find()).toBe(1);
    await shop.control.closeDispute(dispute, 'lost');
    expect(await find()).toBe(1);
    expect(await returned(ann)).toMatchObject([{ status: 'completed', amount: first.price }]);
    // a dispute that is open here longer than the comparison goes back is requested by its id
    await shop.control.closeDispute(inquiry, 'warning_closed');
    shop.ahead.ms += 300 * 86_400_000;
    expect(await find()).toBe(0);
    shop.ahead.ms -= 300 * 86_400_000;
    const closed = await shop.db.query('select status from disputes where id = $1', [inquiry]);
    expect(closed.rows).toEqual([{ status: 'warning_closed' }]);
    shop.control.drop(0);
  });

  test('a dispute that is won after an appeal restores the credits, and its refund is undone in the history', async () => {
    const ann = await newSubscriber(shop);
    const { chargeId, price, credits } = await ann.buyCredits();
    const dispute = await shop.control.openDispute(chargeId);
    await shop.control.closeDispute(dispute, 'lost');
    await waitUntil('it is lost', async () => (await returned(ann)).length === 1);
    expect(await disputeSeen(ann)).toEqual([{ state: 'lost', credits }]);
    await shop.control.closeDispute(dispute, 'won');
    await waitUntil('they are back', async () => (await ann.credits()) === credits);
    expect(await disputeSeen(ann)).toEqual([{ state: 'won', credits }]);
    expect(await ann.history()).toEqual([`credit_purchase completed ${price}`, `refund failed ${price}`]);
  });
});
