import { payOnPage } from '@souk/stripe-sandbox/testing';
import { changeCard, listPaymentMethods } from '@souk/contract/billing/payments.ts';
import { createClient } from '@souk/contract/client.ts';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { describeOnEmbedded } from '#testing/databases/databases.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { pay, settle, startShop, type Shop } from '../checkout/testing/shop.ts';
import { checkLedger } from '../../credits/accounts/check-ledger.ts';
import { failsLater, giveClock, newSubscriber, refusedPlan, type Subscriber } from './testing/subscriber.ts';
import { migrations } from '../../../../migrations.ts';

describeOnEmbedded('unpaid subscriptions', migrations, (open) => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await startShop({ db: await open() });
    const connection = { type: 'http', url: 'https://nowhere.souk.test/mcp' };
    await deployManifest(shop, { id: 'top', connection, billing: { tier: 'T3', rental: { price: 900 } } }, 'unasked');
  });
  afterEach(async () => {
    shop.control.resume();
    await shop.control.setAccount({
      afterLastRetry: 'cancel',
      billingMode: 'classic',
      hostedPaymentMethodSave: 'never',
    });
    const [fault] = await checkLedger(shop.db);
    if (fault) throw new Error(fault.fault);
  });
  afterAll(() => shop?.stop());

  const tiers = async (person: Subscriber) => (await person.api.getSubscription()).activeTiers;
  const idOf = async (person: Subscriber) => (await person.plan())?.id ?? '';
  const page = (url: string) => url.replace(shop.publicUrl, shop.pages);
  const payOn = (url: string, card: string) => payOnPage(page(url), card, {}, { origin: shop.publicUrl });
  const at = (id: string) =>
    shop.stripe.subscriptions.retrieve(id, { expand: ['latest_invoice', 'default_payment_method'] });
  async function invoicesOf(subscription: string) {
    const { data } = await shop.stripe.invoices.list({ subscription, limit: 100 });
    return data.map(({ status }) => status).toReversed();
  }

  const refused = (...how: [afterLastRetry: 'unpaid' | 'past_due', days: number]) => refusedPlan(shop, ...how);
  const inDays = (days: number) => void (shop.ahead.ms = days * 86_400_000);
  afterEach(() => inDays(0));

  test('a past-due plan is canceled immediately, also by several clicks: access ends, and its invoice is no longer collected', async () => {
    const { ann, paymentId, clock } = await refused('past_due', 32);
    const params = { id: await idOf(ann) };
    const answers = await Promise.all([1, 2, 3].map(() => ann.api.cancelSubscription({ params })));
    const message =
      'The Basic plan is canceled. Its last payment failed, so access has ended and nothing more is charged.';
    expect(answers).toEqual([1, 2, 3].map(() => ({ success: true, message, endsAt: null })));
    expect(await ann.plan()).toBeUndefined();
    expect(await tiers(ann)).toEqual(['T0']);
    expect((await at(paymentId)).status).toBe('canceled');
    expect(await invoicesOf(paymentId)).toEqual(['paid', 'void']);
    await clock.advanceDays(20);
    const { data } = await shop.stripe.charges.list({ customer: String((await at(paymentId)).customer) });
    expect(data.filter(({ paid }) => paid)).toHaveLength(1);
  });

  test('a plan that the provider keeps as unpaid is shown so, without access, and paying the newest invoice restores it', async () => {
    const { ann, paymentId, clock } = await refused('unpaid', 75);
    inDays(75);
    await waitUntil('it is unpaid', async () => (await ann.plan())?.status === 'unpaid');
    expect(await tiers(ann)).toEqual(['T0']);
    expect((await ann.api.getSubscription()).summary).toMatchObject({
      hasActiveSubscriptions: false,
      totalSubscriptions: 0,
    });
    expect(await invoicesOf(paymentId)).toEqual(['paid', 'open', 'draft']);
    const id = await idOf(ann);
    const before = await ann.credits();
    const { paymentUrl, amountDue } = await ann.api.getOpenPayment({ params: { id } });
    expect(amountDue).toBe(500);
    await payOn(paymentUrl, '4242424242424242');
    await waitUntil('it is back', async () => (await ann.plan())?.status === 'active');
    expect(await tiers(ann)).toEqual(['T0', 'T1']);
    await waitUntil('its credits have arrived', async () => (await ann.credits()) > before);
    // the card that paid is charged from then on
    await clock.advanceDays(32);
    await waitUntil('the next renewal', async () => (await invoicesOf(paymentId)).at(-1) === 'paid');
    expect((await at(paymentId)).status).toBe('active');
  });

  test('a plan that the provider keeps as unpaid can be canceled', async () => {
    const { ann, paymentId } = await refused('unpaid', 50);
    inDays(50);
    await waitUntil('it is unpaid', async () => (await ann.plan())?.status === 'unpaid');
    await ann.api.cancelSubscription({ params: { id: await idOf(ann) } });
    expect(await ann.plan()).toBeUndefined();
    expect(await at(paymentId)).toMatchObject({ status: 'canceled' });
    expect(await invoicesOf(paymentId)).toEqual(['paid', 'void']);
  });

  test('a plan that the provider keeps as unpaid is replaced by a new purchase, which is not refunded as paid twice', async () => {
    const { ann, paymentId } = await refused('unpaid', 50);
    inDays(50);
    await waitUntil('it is unpaid', async () => (await ann.plan())?.status === 'unpaid');
    const { checkoutUrl } = await ann.api.startCheckout({ body: { type: 'subscription', planId: 'pro' } });
    await pay(shop, checkoutUrl);
    await waitUntil('it is replaced', async () => (await ann.plan())?.mcpId === 'pro');
    await waitUntil('the old one has ended', async () => (await at(paymentId)).status === 'canceled');
    await shop.billing.payments?.events.idle();
    const { subscriptions } = (await ann.api.getSubscription()).subscription;
    expect(subscriptions.map(({ mcpId, status }) => [mcpId, status])).toEqual([['pro', 'active']]);
    expect((await ann.history()).filter((row) => row.startsWith('refund'))).toEqual([]);
    expect(await invoicesOf(paymentId)).toEqual(['paid', 'void']);
  });

  test("if the provider's account leaves a plan past due, a second unpaid month gives no access", async () => {
    const { ann } = await refused('past_due', 40);
    expect(await tiers(ann)).toEqual(['T0', 'T1']);
    const { ann: bob } = await refused('past_due', 64);
    inDays(64);
    await waitUntil('it is unpaid', async () => (await bob.plan())?.status === 'unpaid');
    expect(await tiers(bob)).toEqual(['T0']);
  });

  test('a past-due rental is canceled in the same way', async () => {
    const ann = await newSubscriber(shop);
    const paymentId = await ann.rent('top', failsLater);
    await ann.subscribe('enterprise');
    const clock = await giveClock(shop, paymentId);
    await clock.advanceDays(32);
    await waitUntil('it is past due', async () => (await ann.rental())?.status === 'past_due');
    const { message, endsAt } = await ann.api.cancelRental({ params: { mcpId: 'top' } });
    expect(endsAt).toBeNull();
    expect(message).toMatch(
      /so it has ended and nothing more is charged\. Your Enterprise plan includes .+: you lose nothing\.$/,
    );
    expect(await ann.rental()).toBeUndefined();
    expect(await invoicesOf(paymentId)).toEqual(['paid', 'void']);
  });

  test('an end with the period, requested by an administrator, stops the collection of open invoices; a resumption restarts it', async () => {
    const { ann, paymentId } = await refused('past_due', 32);
    await shop.billing.payments?.subscriptions.endWithPeriod(paymentId);
    const open = async () => (await shop.stripe.invoices.list({ subscription: paymentId, status: 'open' })).data;
    expect(await open()).toMatchObject([{ auto_advance: false, next_payment_attempt: null }]);
    await ann.api.resumeSubscription({ params: { id: await idOf(ann) } });
    expect(await open()).toMatchObject([{ auto_advance: true }]);
  });

  test('a plan that was canceled in the portal under flexible billing is shown so, and can be resumed', async () => {
    await shop.control.setAccount({ billingMode: 'flexible' });
    const ann = await newSubscriber(shop);
    const paymentId = await ann.subscribe('basic');
    await shop.control.cancelInPortal(paymentId);
    await waitUntil('it is canceled', async () => (await ann.plan())?.status === 'canceled');
    await ann.api.resumeSubscription({ params: { id: await idOf(ann) } });
    expect(await at(paymentId)).toMatchObject({ cancel_at: null, cancel_at_period_end: false });
    expect((await ann.plan())?.status).toBe('active');
  });

  test('only cards can pay, on the page of checkout and on that of an invoice', async () => {
    const ann = await newSubscriber(shop);
    const debit = 'AT61 1904 3002 3457 3201';
    const { checkoutUrl } = await ann.api.startCheckout({ body: { type: 'subscription', planId: 'basic' } });
    expect((await payOn(checkoutUrl, debit)).status).toBe(422);
    const { paymentId } = await refused('past_due', 32);
    const { latest_invoice: invoice, payment_settings: settings } = await at(paymentId);
    expect(settings).toMatchObject({ payment_method_types: ['card'], save_default_payment_method: 'on_subscription' });
    const url = (typeof invoice === 'object' && invoice?.hosted_invoice_url) || '';
    expect((await payOn(url, debit)).status).toBe(422);
  });

  const cardOf = async (paymentId: string) => {
    const { default_payment_method: method } = await at(paymentId);
    return typeof method === 'object' ? method?.card?.last4 : undefined;
  };

  test("another card is chosen in the provider's portal, for all of a user's subscriptions", async () => {
    const ann = await newSubscriber(shop);
    const api = createClient([changeCard, listPaymentMethods] as const, {
      baseUrl: shop.publicUrl,
      fetch,
      token: async () => ann.accessToken,
    });
    await expect(api.changeCard({ body: {} })).rejects.toMatchObject({ status: 404, code: 'not_found' });
    expect(await api.listPaymentMethods(), 'nothing was ever paid').toMatchObject({ paymentMethods: [] });
    const both = [await ann.subscribe('basic'), await ann.rent('top')];
    const [planId, rentalId] = [await idOf(ann), (await ann.rental())?.id];
    const charged = async () => {
      const { paymentMethods } = await api.listPaymentMethods();
      return Object.fromEntries(paymentMethods.map(({ pays, method }) => [pays, method]));
    };
    const visa = { type: 'card', brand: 'visa', expires: { month: expect.any(Number), year: expect.any(Number) } };
    const asFirst = { ...visa, last4: '4242' };
    expect(await charged()).toEqual({ [planId]: asFirst, [String(rentalId)]: asFirst });
    shop.control.pause();
    const { portalUrl } = await api.changeCard({ body: {} });
    const done = await payOn(portalUrl, failsLater);
    expect(done).toMatchObject({ status: 303, location: `${shop.publicUrl}/dashboard?tab=billing` });
    const chosen = { ...visa, last4: '0341' };
    expect(await charged(), 'before its event has arrived').toEqual({ [planId]: chosen, [String(rentalId)]: chosen });
    shop.control.resume();
    for (const paymentId of both)
      await waitUntil('it is charged to it', async () => (await cardOf(paymentId)) === '0341');
    // any other change of the customer does not change the card
    await shop.stripe.subscriptions.update(both[0] ?? '', { default_payment_method: await oldCard(both[0] ?? '') });
    await shop.stripe.customers.update(String((await at(both[0] ?? '')).customer), { name: 'Ada' });
    await settle(shop);
    expect(await cardOf(both[0] ?? '')).toBe('4242');
    expect(await cardOf(both[1] ?? '')).toBe('0341');
    expect(await charged()).toEqual({ [planId]: asFirst, [String(rentalId)]: chosen });
  });

  /** Returns the card that paid the first invoice. */
  async function oldCard(paymentId: string): Promise<string> {
    const { data } = await shop.stripe.invoices.list({ subscription: paymentId });
    const { data: payments } = await shop.stripe.invoicePayments.list({ invoice: data.at(-1)?.id ?? '' });
    const intent = await shop.stripe.paymentIntents.retrieve(String(payments[0]?.payment.payment_intent));
    return String(intent.payment_method);
  }

  test("a card that pays an open invoice is charged from then on, also if only the provider's account saves it", async () => {
    const { ann, paymentId } = await refused('past_due', 32);
    await shop.billing.payments?.events.idle();
    await shop.control.setAccount({ hostedPaymentMethodSave: 'always' });
    shop.control.pause();
    await shop.stripe.subscriptions.update(paymentId, { payment_settings: { save_default_payment_method: 'off' } });
    const { paymentUrl } = await ann.api.getOpenPayment({ params: { id: await idOf(ann) } });
    await payOn(paymentUrl, '4242424242424242');
    expect(await cardOf(paymentId)).toBe('0341');
    shop.control.resume();
    await waitUntil('it is charged to it', async () => (await cardOf(paymentId)) === '4242');
  });
});
