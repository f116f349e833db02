import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { describeOnEmbedded } from '#testing/databases/databases.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { startShop, type Shop } from '../../checkout/testing/shop.ts';
import { checkLedger } from '../../../credits/accounts/check-ledger.ts';
import { giveClock, newSubscriber, type Subscriber } from '../testing/subscriber.ts';
import { migrations } from '../../../../../migrations.ts';

describeOnEmbedded('invoices of subscriptions', migrations, (open) => {
  let shop: Shop;
  /** Cents a month, of each plan. */
  let monthly: Record<string, number>;
  beforeAll(async () => {
    shop = await startShop({ db: await open() });
    monthly = Object.fromEntries((await shop.billing.offers.plans()).map((plan) => [plan.planId, plan.monthlyCredits]));
  });
  afterEach(async () => {
    shop.ahead.ms = 0;
    const [fault] = await checkLedger(shop.db);
    if (fault) throw new Error(fault.fault);
  });
  afterAll(() => shop?.stop());

  async function customerOf(paymentId: string): Promise<string> {
    return String((await shop.stripe.subscriptions.retrieve(paymentId)).customer);
  }

  test('a renewal next to more manually added items than the provider lists on one page grants the credits of its month', async () => {
    const ann = await newSubscriber(shop);
    const paymentId = await ann.subscribe('basic');
    const clock = await giveClock(shop, paymentId);
    const customer = await customerOf(paymentId);
    for (let item = 0; item < 11; item += 1)
      await shop.stripe.invoiceItems.create({ customer, amount: 100, currency: 'usd', description: `Extra ${item}` });
    const before = await ann.credits();
    await clock.advanceDays(32);
    await waitUntil('the renewal', async () => (await ann.history()).length === 2);
    expect(await ann.credits()).toBe(before + (monthly['basic'] ?? 0));
    expect((await ann.history())[1]).toBe('subscription_update completed 1600');
  });

  async function upgrade(ann: Subscriber) {
    return (await ann.changePlan('pro')).change;
  }

  test('an upgrade grants the difference of the credits for the rest of the period, rounded up, until its end', async () => {
    const ann = await newSubscriber(shop);
    const paymentId = await ann.subscribe('basic');
    const [item] = (await shop.stripe.subscriptions.retrieve(paymentId)).items.data;
    const [from, to] = [item?.current_period_start ?? 0, item?.current_period_end ?? 0];
    const clock = await giveClock(shop, paymentId);
    await clock.advanceDays(7);
    const before = await ann.credits();
    shop.ahead.ms = 7 * 86_400_000;
    const told = await upgrade(ann);
    const { data: invoices } = await shop.stripe.invoices.list({ subscription: paymentId });
    const invoice = invoices.find(({ billing_reason: reason }) => reason === 'subscription_update');
    const at = invoice?.lines.data[0]?.period.start ?? 0;
    expect(at - from).toBeGreaterThan(6 * 86_400);
    const difference = (monthly['pro'] ?? 0) - (monthly['basic'] ?? 0);
    const brought = Math.ceil((difference * (to - at)) / (to - from));
    expect(brought).toBeLessThan(difference);
    expect(await ann.credits()).toBe(before + brought);
    expect(told).toMatchObject({ creditsNow: brought, nextCredits: monthly['pro'] });
    const { rows } = await shop.db.query(`select granted, expires_at from credit_lots where idem = $1`, [
      `invoice:${invoice?.id}`,
    ]);
    expect(rows).toEqual([{ granted: brought, expires_at: new Date(to * 1000) }]);
    const { data: payments } = await shop.stripe.invoicePayments.list({ invoice: invoice?.id ?? '' });
    await shop.stripe.refunds.create({ payment_intent: String(payments[0]?.payment.payment_intent) });
    await waitUntil('its refund clawed them back', async () => (await ann.credits()) === before);
  });

  test('an upgrade whose prorated price rounds to nothing gives the new plan and its credits', async () => {
    const ann = await newSubscriber(shop);
    const paymentId = await ann.subscribe('basic');
    const [item] = (await shop.stripe.subscriptions.retrieve(paymentId)).items.data;
    const clock = await giveClock(shop, paymentId);
    const leftMs = (item?.current_period_end ?? 0) * 1000 - Date.now();
    await clock.advanceDays((leftMs - 60_000) / 86_400_000);
    shop.ahead.ms = leftMs - 60_000;
    const before = await ann.credits();
    const change = await upgrade(ann);
    expect(change).toMatchObject({ amountDue: 0 });
    expect(await ann.plan()).toMatchObject({ mcpId: 'pro' });
    expect(await ann.credits()).toBe(before + change.creditsNow);
    expect(change.creditsNow).toBeGreaterThan(0);
    expect((await ann.history()).at(-1)).toBe('subscription_update completed 0');
  });
});
