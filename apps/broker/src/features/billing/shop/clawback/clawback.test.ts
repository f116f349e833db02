import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { describeOnEmbedded } from '#testing/databases/databases.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { startShop, type Shop } from '../checkout/testing/shop.ts';
import { checkLedger } from '../../credits/accounts/check-ledger.ts';
import { newSubscriber, type Subscriber } from '../subscriptions/testing/subscriber.ts';
import { migrations } from '../../../../migrations.ts';

describeOnEmbedded('refunds and disputes at the provider', migrations, (open) => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await startShop({ db: await open() });
    const connection = { type: 'http', url: 'https://nowhere.souk.test/mcp' };
    await deployManifest(shop, { id: 'top', connection, billing: { tier: 'T3', rental: { price: 900 } } }, 'unasked');
  });
  afterEach(async () => {
    const [fault] = await checkLedger(shop.db);
    if (fault) throw new Error(fault.fault);
  });
  afterAll(() => shop?.stop());

  const account = async (person: Subscriber) => {
    const { balance, debt, available } = (await person.api.getSubscription()).credits;
    return { balance, debt, available };
  };
  /** Spends credits as if calls had cost them. */
  const spend = ({ userId }: Subscriber, left: number) =>
    shop.billing.ledger.setBalance({ userId, credits: left, idem: crypto.randomUUID() }, { operator: 'test' });

  test('a refund claws back the credits of the payment, once', async () => {
    const ann = await newSubscriber(shop);
    const { intentId, credits, price } = await ann.buyCredits();
    expect(await account(ann)).toEqual({ balance: credits, debt: 0, available: credits });
    shop.control.duplicate(3);
    const half = price / 2;
    await shop.stripe.refunds.create({ payment_intent: intentId, amount: half });
    await waitUntil('half of them were clawed back', async () => (await account(ann)).balance === credits / 2);
    await shop.stripe.refunds.create({ payment_intent: intentId });
    await waitUntil('all of them were clawed back', async () => (await account(ann)).balance === 0);
    shop.control.duplicate(1);
    await waitUntil('the history has both', async () => (await ann.history()).length === 3);
    expect(await account(ann)).toEqual({ balance: 0, debt: 0, available: 0 });
    expect(await ann.history()).toEqual([
      `credit_purchase refunded ${price}`,
      `refund completed ${half}`,
      `refund completed ${half}`,
    ]);
  });

  test('the daily comparison applies refunds whose event was lost, once each, and those that failed since', async () => {
    const find = async () => shop.billing.payments?.clawback.findMissedRefunds();
    await shop.billing.payments?.events.idle();
    expect(await find()).toBe(0);
    const ann = await newSubscriber(shop);
    const { intentId, credits, price } = await ann.buyCredits();
    shop.control.drop(1000);
    const refund = await shop.stripe.refunds.create({ payment_intent: intentId });
    expect(await find()).toBe(1);
    expect(await ann.credits()).toBe(0);
    expect(await ann.history()).toEqual([`credit_purchase refunded ${price}`, `refund completed ${price}`]);
    expect(await find()).toBe(0);
    await shop.control.failRefund(refund.id);
    expect(await find()).toBe(1);
    expect(await ann.credits()).toBe(credits);
    expect(await ann.history()).toEqual([`credit_purchase completed ${price}`, `refund failed ${price}`]);
    expect(await find()).toBe(0);
    shop.control.drop(0);
  });

  test('a dispute freezes the credits of its payment; won, they are back, once', async () => {
    const ann = await newSubscriber(shop);
    const { credits, intentId } = await ann.buyCredits('4000000000000259');
    await waitUntil('they are frozen', async () => (await account(ann)).available === 0);
    await spend(ann, 0).catch(() => {});
    const [dispute] = (await shop.stripe.disputes.list({ payment_intent: intentId })).data;
    await shop.control.closeDispute(dispute?.id ?? '', 'won');
    await waitUntil('they are back', async () => (await account(ann)).available === credits);
    const { data: events } = await shop.stripe.events.list({ types: ['charge.dispute.closed'], limit: 1 });
    await shop.control.replay(events[0]?.id ?? '');
    const handlers = shop.billing.payments?.clawback.handlers ?? {};
    await handlers['charge.dispute.closed']?.({ objectId: dispute?.id ?? '' });
    expect(await account(ann)).toEqual({ balance: credits, debt: 0, available: credits });
    expect(await ann.history()).toEqual([expect.stringMatching(/^credit_purchase completed/)]);
  });

  test('a lost dispute keeps the credits, and the spent part stays owed', async () => {
    const ann = await newSubscriber(shop);
    const { chargeId, credits, price } = await ann.buyCredits();
    await spend(ann, credits - 30);
    const dispute = await shop.control.openDispute(chargeId);
    await waitUntil('they are frozen', async () => (await account(ann)).available === 0);
    await shop.control.closeDispute(dispute, 'lost');
    await waitUntil('it is in the history', async () => (await ann.history()).length === 2);
    expect(await account(ann)).toEqual({ balance: 0, debt: 30, available: 0 });
    expect(await ann.history()).toEqual([`credit_purchase refunded ${price}`, `refund completed ${price}`]);
  });

  test('a lost dispute about a rental ends it, here and at the provider', async () => {
    const ann = await newSubscriber(shop);
    const paymentId = await ann.rent('top');
    const [invoice] = (await shop.stripe.invoices.list({ subscription: paymentId })).data;
    const { data } = await shop.stripe.invoicePayments.list({ invoice: invoice?.id ?? '' });
    const intent = await shop.stripe.paymentIntents.retrieve(String(data[0]?.payment.payment_intent));
    const dispute = await shop.control.openDispute(String(intent.latest_charge));
    expect(await ann.rental()).toMatchObject({ mcpId: 'top' });
    await shop.control.closeDispute(dispute, 'lost');
    await waitUntil('it has ended', async () => (await ann.rental()) === undefined);
    expect(await shop.stripe.subscriptions.retrieve(paymentId)).toMatchObject({ status: 'canceled' });
  });

  test('a refund of a plan claws back the credits of its period', async () => {
    const ann = await newSubscriber(shop);
    const paymentId = await ann.subscribe('basic');
    expect(await ann.credits()).toBeGreaterThan(0);
    const [invoice] = (await shop.stripe.invoices.list({ subscription: paymentId })).data;
    const { data } = await shop.stripe.invoicePayments.list({ invoice: invoice?.id ?? '' });
    await shop.stripe.refunds.create({ payment_intent: String(data[0]?.payment.payment_intent) });
    await waitUntil('the credits were clawed back', async () => (await ann.credits()) === 0);
    expect(await ann.plan()).toMatchObject({ mcpId: 'basic' });
  });

  /** Moves the expiry of a user's plan credits into the past: nothing else happens to the account. */
  async function expire({ userId }: Subscriber): Promise<void> {
    const past = `now() - interval '1 minute'`;
    await shop.db.query(`update credit_lots set expires_at = ${past} where source = 'plan' and user_id = $1`, [userId]);
    await shop.db.query(`update credit_accounts set next_expiry = ${past} where user_id = $1`, [userId]);
  }

  async function paymentOf(subscription: string) {
    const [invoice] = (await shop.stripe.invoices.list({ subscription })).data;
    const { data } = await shop.stripe.invoicePayments.list({ invoice: invoice?.id ?? '' });
    return shop.stripe.paymentIntents.retrieve(String(data[0]?.payment.payment_intent));
  }

  test('a refund of a period claws back the spent part of its credits, and nothing of what expired unspent', async () => {
    const ann = await newSubscriber(shop);
    const { credits } = await ann.buyCredits();
    const paymentId = await ann.subscribe('basic');
    const monthly = (await ann.credits()) - credits;
    await spend(ann, credits + monthly - 10);
    await expire(ann);
    const { id } = await paymentOf(paymentId);
    await shop.stripe.refunds.create({ payment_intent: id });
    await waitUntil('the refund is recorded', async () =>
      (await ann.history()).some((row) => row.startsWith('refund ')),
    );
    expect(await account(ann)).toEqual({ balance: credits - 10, debt: 0, available: credits - 10 });
  });

  test('a dispute about a period whose credits expired claws back none; credits restored by a won dispute can be spent for 30 days', async () => {
    const [ann, bob] = [await newSubscriber(shop), await newSubscriber(shop)];
    const ofAnn = await paymentOf(await ann.subscribe('basic'));
    const monthly = await ann.credits();
    await expire(ann);
    const ofBob = await paymentOf(await bob.subscribe('basic'));
    for (const [person, intent] of [
      [ann, ofAnn],
      [bob, ofBob],
    ] as const) {
      const dispute = await shop.control.openDispute(String(intent.latest_charge));
      await waitUntil('they are frozen', async () => (await account(person)).available === 0);
      expect(await account(person)).toEqual({ balance: 0, debt: 0, available: 0 });
      await shop.db.query(`update credit_lots set expires_at = now() - interval '1 day' where user_id = $1`, [
        person.userId,
      ]);
      await shop.control.closeDispute(dispute, 'won');
      await shop.billing.payments?.events.idle();
    }
    expect(await ann.credits()).toBe(0);
    await waitUntil('they are back', async () => (await bob.credits()) === monthly);
    const { rows } = await shop.db.query<{ days: number }>(
      `select round(extract(epoch from expires_at - now()) / 86400)::int as days from credit_lots
     where user_id = $1 and idem like '%:restored'`,
      [bob.userId],
    );
    expect(rows).toEqual([{ days: 30 }]);
  });
});
