import { payOnPage } from '@souk/stripe-sandbox/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { describeOnEmbedded } from '#testing/databases/databases.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { pay, settle, startShop, type Shop } from '../../checkout/testing/shop.ts';
import { checkLedger } from '../../../credits/accounts/check-ledger.ts';
import { giveClock, newSubscriber, refusedPlan, type Subscriber } from '../testing/subscriber.ts';
import { migrations } from '../../../../../migrations.ts';

const dayMs = 86_400_000;
const good = '4242424242424242';

// Subscriptions that the operator, or the settings of the operator's account, end, pause or write off at the provider.

describeOnEmbedded('abandoned subscriptions', migrations, (open) => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await startShop({ db: await open() });
  });
  afterEach(async () => {
    shop.ahead.ms = 0;
    await shop.control.setAccount({ afterLastRetry: 'cancel', paymentMethods: ['card', 'sepa_debit'] });
    const [fault] = await checkLedger(shop.db);
    if (fault) throw new Error(fault.fault);
  });
  afterAll(() => shop?.stop());

  const tiers = async (person: Subscriber) => (await person.api.getSubscription()).activeTiers;
  const idOf = async (person: Subscriber) => (await person.plan())?.id ?? '';
  const payOn = (url: string, card: string) =>
    payOnPage(url.replace(shop.publicUrl, shop.pages), card, {}, { origin: shop.publicUrl });
  async function invoicesOf(subscription: string) {
    const { data } = await shop.stripe.invoices.list({ subscription, limit: 100 });
    return data.toReversed();
  }
  const newest = async (subscription: string) => {
    const invoice = (await invoicesOf(subscription)).at(-1);
    return { id: invoice?.id ?? '', url: invoice?.hosted_invoice_url ?? '' };
  };
  const states = async (subscription: string) => (await invoicesOf(subscription)).map(({ status }) => status);
  const chargesOf = async (subscription: string) => {
    const { customer } = await shop.stripe.subscriptions.retrieve(subscription);
    const { data } = await shop.stripe.charges.list({ customer: String(customer), limit: 100 });
    return data.filter(({ paid }) => paid).map(({ amount_refunded: refunded }) => refunded);
  };

  test('when the provider ends a plan after its last retry, its invoice can no longer be paid', async () => {
    const { ann, paymentId } = await refusedPlan(shop, 'cancel', 50);
    await waitUntil('it has ended', async () => (await ann.plan()) === undefined);
    expect(await tiers(ann)).toEqual(['T0']);
    await settle(shop);
    expect(await ann.history()).toEqual(['subscription_create completed 500', 'subscription_cancel completed 0']);
    expect(await states(paymentId)).toEqual(['paid', 'void']);
    expect(await chargesOf(paymentId)).toEqual([0]);
  });

  test('a payment for a plan after its end is refunded, once, and grants nothing', async () => {
    const { ann, paymentId } = await refusedPlan(shop, 'past_due', 33);
    const before = await ann.credits();
    const { url } = await newest(paymentId);
    // ended at the provider, and paid on the invoice page before we are notified; an earlier read would void the
    // invoice
    await settle(shop);
    shop.control.pause();
    const { test_clock: clock, ended_at: endedAt } = await shop.stripe.subscriptions.cancel(paymentId);
    await shop.stripe.testHelpers.testClocks.advance(String(clock), { frozen_time: (endedAt ?? 0) + 60 });
    await payOn(url, good);
    shop.control.resume();
    const back = 'refund completed 500';
    await waitUntil('its refund is in the history', async () => (await ann.history()).includes(back));
    const history = ['subscription_create completed 500', 'subscription_update refunded 500', back];
    expect((await ann.history()).filter((row) => !row.startsWith('subscription_cancel')).sort()).toEqual(
      history.toSorted(),
    );
    expect(await ann.credits()).toBe(before);
    // not granted and clawed back, but never granted
    const { rows: grants } = await shop.db.query('select from credit_lots where user_id = $1', [ann.userId]);
    expect(grants).toHaveLength(1);
    expect(await ann.plan()).toBeUndefined();
    await shop.billing.payments?.subscriptions.sync(paymentId);
    expect(await chargesOf(paymentId)).toEqual([500, 0]);
    const { rows } = await shop.db.query(
      `select action from audit_log where subject = $1 and action like 'payment.%'`,
      [paymentId],
    );
    expect(rows).toEqual([{ action: 'payment.returned' }]);
  });

  test('a plan that is paused after its last retry gives no access, and can be ended or replaced', async () => {
    const [{ ann, paymentId }, { ann: bob, paymentId: other }] = [
      await refusedPlan(shop, 'paused', 50),
      await refusedPlan(shop, 'paused', 50),
    ];
    shop.ahead.ms = 50 * dayMs;
    await waitUntil('it is unpaid', async () => (await ann.plan())?.status === 'unpaid');
    expect(await tiers(ann)).toEqual(['T0']);
    const { checkoutUrl } = await ann.api.startCheckout({ body: { type: 'subscription', planId: 'pro' } });
    await pay(shop, checkoutUrl);
    await waitUntil('it is replaced', async () => (await ann.plan())?.mcpId === 'pro');
    await settle(shop);
    expect((await shop.stripe.subscriptions.retrieve(paymentId)).status).toBe('canceled');
    expect(await chargesOf(paymentId)).toEqual([0, 0]);
    await waitUntil('it is unpaid', async () => (await bob.plan())?.status === 'unpaid');
    await bob.api.cancelSubscription({ params: { id: await idOf(bob) } });
    expect(await states(other)).toEqual(['paid', 'void']);
  });

  test('a plan that is paused in mid-period is usable until the end of the paid period, and no longer', async () => {
    const ann = await newSubscriber(shop);
    const paymentId = await ann.subscribe('basic');
    await shop.control.pauseSubscription(paymentId);
    await shop.billing.payments?.subscriptions.sync(paymentId);
    expect(await tiers(ann)).toEqual(['T0', 'T1']);
    shop.ahead.ms = 34 * dayMs;
    expect((await ann.plan())?.status).toBe('unpaid');
    expect(await tiers(ann)).toEqual(['T0']);
  });

  test('a month that was written off gives no access; once it is paid, it does', async () => {
    const { ann, paymentId } = await refusedPlan(shop, 'past_due', 33);
    shop.ahead.ms = 34 * dayMs;
    expect(await tiers(ann)).toEqual(['T0', 'T1']);
    await shop.stripe.invoices.markUncollectible((await newest(paymentId)).id);
    await waitUntil('it is unpaid', async () => (await ann.plan())?.status === 'unpaid');
    expect((await shop.stripe.subscriptions.retrieve(paymentId)).status).toBe('active');
    expect(await tiers(ann)).toEqual(['T0']);
    const { paymentUrl } = await ann.api.getOpenPayment({ params: { id: await idOf(ann) } });
    await payOn(paymentUrl, good);
    await waitUntil('it is back', async () => (await ann.plan())?.status === 'active');
    expect(await tiers(ann)).toEqual(['T0', 'T1']);
  });

  test.each([
    ['keep_as_draft', 'draft'],
    ['mark_uncollectible', 'uncollectible'],
    ['void', 'void'],
  ] as const)(
    'while the operator collects nothing (%s), months are free: access, no credits, and nothing to pay',
    async (behavior, status) => {
      const ann = await newSubscriber(shop);
      const paymentId = await ann.subscribe('basic');
      const clock = await giveClock(shop, paymentId);
      await shop.stripe.subscriptions.update(paymentId, { pause_collection: { behavior } });
      const before = await ann.credits();
      await clock.advanceDays(32);
      shop.ahead.ms = 33 * dayMs;
      await waitUntil('the next period', async () => (await states(paymentId)).length === 2);
      await settle(shop);
      expect(await states(paymentId)).toEqual(['paid', status]);
      expect(await ann.plan()).toMatchObject({ status: 'active' });
      expect(await tiers(ann)).toEqual(['T0', 'T1']);
      expect(await ann.credits()).toBeLessThanOrEqual(before);
      await expect(ann.api.getOpenPayment({ params: { id: await idOf(ann) } })).rejects.toMatchObject({ status: 404 });
      expect(await states(paymentId)).toEqual(['paid', status]);
    },
  );

  test('a subscription is charged to its own payment method, also if the shop no longer accepts it', async () => {
    const ann = await newSubscriber(shop);
    const paymentId = await ann.subscribe('basic');
    const debit = await debitFor(paymentId);
    await shop.billing.payments?.subscriptions.sync(paymentId);
    const { payment_settings: settings } = await shop.stripe.subscriptions.retrieve(paymentId);
    expect(settings?.payment_method_types).toEqual(['card', 'sepa_debit']);
    const clock = await giveClock(shop, paymentId);
    await clock.advanceDays(36);
    await waitUntil('the renewal is paid', async () => (await states(paymentId)).at(-1) === 'paid');
    expect(debit).toMatch(/^pm_/);
  });

  /** Charges a subscription to a bank account, as if it had been bought when the shop accepted debits. */
  async function debitFor(paymentId: string): Promise<string> {
    const { customer } = await shop.stripe.subscriptions.retrieve(paymentId);
    const { url } = await shop.stripe.checkout.sessions.create({
      mode: 'payment',
      customer: String(customer),
      line_items: [{ price: await anyPrice(), quantity: 1 }],
      success_url: shop.publicUrl,
    });
    await payOn(url ?? '', 'AT61 1904 3002 3457 3201');
    const { data } = await shop.stripe.charges.list({ customer: String(customer), limit: 1 });
    const method = String(data[0]?.payment_method);
    await shop.stripe.subscriptions.update(paymentId, { default_payment_method: method });
    return method;
  }

  async function anyPrice(): Promise<string> {
    const product = (await shop.stripe.products.create({ name: 'Once' })).id;
    return (await shop.stripe.prices.create({ product, currency: 'usd', unit_amount: 500 })).id;
  }
});
