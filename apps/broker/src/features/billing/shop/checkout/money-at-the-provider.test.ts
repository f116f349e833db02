import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { payOnPage } from '@souk/stripe-sandbox/testing';
import { utcDayText } from '@souk/contract/utc-day.ts';
import { describeOnEmbedded } from '#testing/databases/databases.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { migrations } from '../../../../migrations.ts';
import { checkLedger } from '../../credits/accounts/check-ledger.ts';
import { giveClock, newSubscriber, type Subscriber } from '../subscriptions/testing/subscriber.ts';
import { pay, settle, startShop, type Shop } from './testing/shop.ts';

const arrives = 'AT61 1904 3002 3457 3201';
const fails = 'AT86 1904 3002 3547 3202';
const basic = { type: 'subscription', planId: 'basic' } as const;
const credits = { type: 'credit', planId: 'credits-500' } as const;
const dayMs = 86_400_000;

describeOnEmbedded('payments that the provider has', migrations, (open) => {
  let shop: Shop;
  let ann: Subscriber;
  beforeAll(async () => {
    shop = await startShop({ db: await open(), env: { PAYMENT_METHODS: 'card,sepa_debit' } });
    const connection = { type: 'http', url: 'https://nowhere.souk.test/mcp' };
    await deployManifest(shop, { id: 'top', connection, billing: { tier: 'T3', rental: { price: 900 } } }, 'unasked');
  });
  beforeEach(async () => {
    ann = await newSubscriber(shop);
  });
  afterEach(async () => {
    shop.control.drop(0);
    // events that are to be sent at a future time would not be sent before that time
    await settle(shop);
    shop.ahead.ms = 0;
    const [fault] = await checkLedger(shop.db);
    if (fault) throw new Error(fault.fault);
  });
  afterAll(() => shop?.stop());

  const payments = () => {
    if (!shop.billing.payments) throw new Error('nothing is sold');
    return shop.billing.payments;
  };
  async function orders({ userId }: Subscriber = ann) {
    const { rows } = await shop.db.query<{ status: string; reason: string | null }>(
      `select status, nullif(concat_ws('; ', reason, trouble), '') as reason
       from checkout_orders where user_id = $1 order by created_at`,
      [userId],
    );
    return rows.map(({ status, reason }) => (reason === null ? status : `${status}: ${reason}`));
  }
  const alarms = async (action: string, { userId }: Subscriber = ann) => {
    const { rows } = await shop.db.query(
      `select action from audit_log where action = $1 and (details->>'userId' = $2 or subject in
         (select id::text from checkout_orders where user_id = $2::uuid))`,
      [action, userId],
    );
    return rows.length;
  };
  const read = (sessionId: string) =>
    shop.stripe.checkout.sessions.retrieve(sessionId, { expand: ['payment_intent', 'invoice', 'subscription'] });
  async function bankDecides(sessionId: string): Promise<void> {
    const { payment_intent: intent, invoice } = await read(sessionId);
    const { data } =
      typeof invoice === 'object' && invoice
        ? await shop.stripe.invoicePayments.list({ invoice: invoice.id ?? '' })
        : { data: [] };
    const id = typeof intent === 'object' && intent ? intent.id : String(data[0]?.payment.payment_intent);
    await shop.control.settleDebit(id);
  }
  async function payInvoiceOf(sessionId: string): Promise<void> {
    const { invoice } = await read(sessionId);
    const page = (typeof invoice === 'object' && invoice?.hosted_invoice_url) || '';
    await payOnPage(page.replace(shop.publicUrl, shop.pages), '4242424242424242', {}, { origin: shop.publicUrl });
  }

  test('a plan paid by debit begins when the debit arrives, and not before', async () => {
    const { checkoutUrl, sessionId } = await ann.api.startCheckout({ body: basic });
    await pay(shop, checkoutUrl, arrives);
    await payments().events.idle();
    expect(await ann.session(sessionId)).toMatchObject({ status: 'complete', paymentStatus: 'unpaid' });
    expect(await ann.plan()).toBeUndefined();
    expect(await ann.credits()).toBe(0);
    await expect(ann.api.startCheckout({ body: basic })).rejects.toMatchObject({
      status: 409,
      code: 'payment_under_way',
    });
    await bankDecides(sessionId);
    await waitUntil('it exists', async () => (await ann.plan()) !== undefined);
    await waitUntil('its order is done', async () => (await orders())[0] === 'fulfilled');
  });

  test('a first payment that failed late and is collected afterwards gives what was paid for, by its event', async () => {
    const { checkoutUrl, sessionId } = await ann.api.startCheckout({ body: basic });
    await pay(shop, checkoutUrl, fails);
    await bankDecides(sessionId);
    await waitUntil('it has failed', async () => (await orders())[0] === 'failed');
    expect(await ann.plan()).toBeUndefined();
    await payInvoiceOf(sessionId);
    await waitUntil('it exists', async () => (await ann.plan()) !== undefined);
    expect(await ann.plan()).toMatchObject({ mcpId: 'basic', status: 'active' });
    expect(await ann.credits()).toBeGreaterThan(0);
    await waitUntil('its order is done', async () => (await orders())[0] === 'fulfilled');
    expect(await alarms('payment.found-by-reconciler')).toBe(0);
  });

  test('a first payment that failed late is not collected once the plan was bought with a card', async () => {
    const first = await ann.api.startCheckout({ body: basic });
    await pay(shop, first.checkoutUrl, fails);
    await bankDecides(first.sessionId);
    await waitUntil('it has failed', async () => (await orders())[0] === 'failed');
    const second = await ann.api.startCheckout({ body: basic });
    await pay(shop, second.checkoutUrl);
    await waitUntil('the plan is active', async () => (await ann.plan()) !== undefined);
    await waitUntil('its order is done', async () => (await orders()).includes('fulfilled'));
    const { subscription } = await shop.stripe.checkout.sessions.retrieve(first.sessionId);
    expect(await shop.stripe.subscriptions.retrieve(String(subscription))).toMatchObject({ status: 'canceled' });
    const [invoice] = (await shop.stripe.invoices.list({ subscription: String(subscription) })).data;
    expect(invoice?.status, 'none of its pages takes money').toBe('void');
    expect(await ann.plan()).toMatchObject({ mcpId: 'basic', status: 'active' });
  });

  test('without any event, the comparison with the provider finds the payment within a day, and alerts the operator', async () => {
    shop.control.drop(1000);
    const { checkoutUrl, sessionId } = await ann.api.startCheckout({ body: basic });
    await pay(shop, checkoutUrl, fails);
    await bankDecides(sessionId);
    expect(await ann.session(sessionId)).toMatchObject({ paymentStatus: 'failed' });
    await payInvoiceOf(sessionId);
    await payments().reconcileOrders();
    await payments().subscriptions.reconcile();
    expect(await ann.plan()).toBeUndefined();
    expect(await payments().findMissed()).toBe(1);
    expect(await ann.plan()).toMatchObject({ mcpId: 'basic' });
    expect(await alarms('payment.found-by-reconciler')).toBe(1);
    expect(await payments().findMissed()).toBe(0);
  });

  test('a payment made after its page had expired here is fulfilled too', async () => {
    shop.control.drop(1000);
    const { checkoutUrl, sessionId } = await ann.api.startCheckout({ body: credits });
    await shop.db.query(`update checkout_orders set status = 'expired', decided_at = now() where session_id = $1`, [
      sessionId,
    ]);
    await pay(shop, checkoutUrl);
    expect(await payments().findMissed()).toBe(1);
    expect(await ann.credits()).toBe(500);
    expect(await orders()).toEqual(['fulfilled']);
  });

  test('a page that has expired here and is still open at the provider is closed', async () => {
    const { sessionId } = await ann.api.startCheckout({ body: credits });
    await shop.db.query(`update checkout_orders set status = 'expired', decided_at = now() where session_id = $1`, [
      sessionId,
    ]);
    await ann.session(sessionId);
    expect((await read(sessionId)).status).toBe('expired');
  });

  async function flagged(): Promise<string> {
    const { checkoutUrl, sessionId } = await ann.api.startCheckout({ body: basic });
    await shop.db.query('update checkout_orders set amount = amount + 1 where session_id = $1', [sessionId]);
    await pay(shop, checkoutUrl);
    await waitUntil('it is flagged', async () => ((await orders())[0] ?? '').startsWith('flagged'));
    return sessionId;
  }
  const charged = async (sessionId: string) => {
    const { invoice } = await read(sessionId);
    const { data } = await shop.stripe.invoicePayments.list({
      invoice: (typeof invoice === 'object' && invoice?.id) || '',
    });
    const intent = await shop.stripe.paymentIntents.retrieve(String(data[0]?.payment.payment_intent));
    return { intent: intent.id, charge: await shop.stripe.charges.retrieve(String(intent.latest_charge)) };
  };

  test('a flagged order raises an alarm immediately, and is refunded after a week', async () => {
    const sessionId = await flagged();
    expect(await orders()).toEqual(['flagged: not what was ordered: amount']);
    expect(await alarms('payment.flagged')).toBe(1);
    expect(await ann.plan()).toBeUndefined();
    shop.ahead.ms = 6 * dayMs;
    expect(await payments().returnFlagged()).toBe(0);
    shop.ahead.ms = 8 * dayMs;
    expect(await payments().returnFlagged()).toBe(1);
    expect(await orders()).toEqual(['refunded: not what was ordered: amount']);
    const { charge } = await charged(sessionId);
    expect(charge).toMatchObject({ refunded: true });
    const { subscription } = await read(sessionId);
    expect(subscription).toMatchObject({ status: 'canceled' });
    expect(await alarms('payment.returned')).toBe(1);
  });

  test('an order is flagged together with what the operator reads about it, or not at all', async () => {
    shop.control.drop(1000);
    const { checkoutUrl, sessionId } = await ann.api.startCheckout({ body: basic });
    await shop.db.query('update checkout_orders set amount = amount + 1 where session_id = $1', [sessionId]);
    await pay(shop, checkoutUrl);
    await shop.db.query('alter table audit_log rename to audit_log_elsewhere');
    await ann.session(sessionId).catch(() => undefined);
    await shop.db.query('alter table audit_log_elsewhere rename to audit_log');
    expect(await orders()).toEqual(['open']);
    await ann.session(sessionId);
    expect(await orders()).toEqual(['flagged: not what was ordered: amount']);
    expect(await alarms('payment.flagged')).toBe(1);
    shop.ahead.ms = 8 * dayMs;
    expect(await payments().returnFlagged()).toBe(1);
    expect(await alarms('payment.returned')).toBe(1);
  });

  test('a flagged order that the operator has refunded by hand needs no more action, and is refunded once', async () => {
    const sessionId = await flagged();
    const { intent } = await charged(sessionId);
    await shop.stripe.refunds.create({ payment_intent: intent });
    await waitUntil('it is closed', async () => ((await orders())[0] ?? '').startsWith('refunded'));
    shop.ahead.ms = 8 * dayMs;
    expect(await payments().returnFlagged()).toBe(0);
    expect((await shop.stripe.refunds.list({ payment_intent: intent })).data).toHaveLength(1);
  });

  test('the operator decides about a flagged order: refund it now, or leave it', async () => {
    const first = await flagged();
    const [one] = (await payments().checkout.flagged.list()).filter(({ userId }) => userId === ann.userId);
    expect(await payments().checkout.flagged.decide(one?.id ?? '', 'return')).toMatchObject({ status: 'refunded' });
    expect((await charged(first)).charge).toMatchObject({ refunded: true });
    ann = await newSubscriber(shop);
    const second = await flagged();
    const [other] = (await payments().checkout.flagged.list()).filter(({ userId }) => userId === ann.userId);
    expect(await payments().checkout.flagged.decide(other?.id ?? '', 'close')).toMatchObject({ status: 'closed' });
    expect(await payments().checkout.flagged.decide(other?.id ?? '', 'return')).toBeUndefined();
    shop.ahead.ms = 8 * dayMs;
    expect(await payments().returnFlagged()).toBe(0);
    expect((await charged(second)).charge).toMatchObject({ refunded: false });
  });

  test('a refund that the provider refuses, for example because the balance is too low, is retried after a week', async () => {
    const sessionId = await flagged();
    await settle(shop);
    const [one] = (await payments().checkout.flagged.list()).filter(({ userId }) => userId === ann.userId);
    shop.control.failNext('/v1/refunds', 'refused');
    expect(await payments().checkout.flagged.decide(one?.id ?? '', 'return')).toMatchObject({ status: 'flagged' });
    expect(await orders()).toEqual([
      expect.stringMatching(/^flagged: not what was ordered: amount; its refund was refused: /),
    ]);
    expect(await alarms('payment.return-refused')).toBe(1);
    shop.ahead.ms = 6 * dayMs;
    expect(await payments().returnFlagged()).toBe(0);
    shop.ahead.ms = 8 * dayMs;
    expect(await payments().returnFlagged()).toBe(1);
    expect((await charged(sessionId)).charge).toMatchObject({ refunded: true });
  });

  const isOver = (sessionId: string) =>
    waitUntil('its page has ended', async () => (await read(sessionId)).status === 'expired');

  test('the page of a server that is taken out of the shop expires immediately', async () => {
    const connection = { type: 'http', url: 'https://nowhere.souk.test/mcp' };
    await deployManifest(shop, { id: 'gone', connection, billing: { tier: 'T3', rental: { price: 900 } } }, 'unasked');
    const { sessionId } = await ann.api.startCheckout({ body: { type: 'rental', mcpId: 'gone', period: 'monthly' } });
    const { sessionId: other } = await ann.api.startCheckout({
      body: { type: 'rental', mcpId: 'top', period: 'monthly' },
    });
    await shop.catalogue.undeploy('gone', { via: 'command' });
    await isOver(sessionId);
    await waitUntil('our order too', async () => (await orders())[0] === 'expired: no longer offered');
    expect(await orders()).toHaveLength(2);
    expect((await read(other)).status).toBe('open');
  });

  test('the page of an old price, or of a plan or package that left the offers, expires; a payment that is faster is refunded', async () => {
    const offers = shop.billing.offers;
    const before = { plans: await offers.plans(), packages: await offers.packages() };
    onTestFinished(async () => void (await offers.replace(before)));
    const { sessionId: ofCredits } = await ann.api.startCheckout({ body: credits });
    const { sessionId: ofPlan, checkoutUrl } = await ann.api.startCheckout({ body: basic });
    // the provider does not respond when the offer ends: the page stays, and its payment is refunded
    await shop.network.stop();
    await offers.replace({
      plans: before.plans.filter(({ planId }) => planId !== 'basic'),
      packages: before.packages.map((one) => ({ ...one, price: one.price + 100 })),
    });
    await waitUntil(
      'both are marked',
      async () => String(await orders()) === 'open: price changed,open: no longer offered',
    );
    await pay(shop, checkoutUrl);
    await shop.network.resume();
    await waitUntil('its page has ended', async () => {
      await payments().reconcileOrders();
      return (await read(ofCredits)).status === 'expired';
    });
    expect(await ann.session(ofCredits)).toMatchObject({ status: 'expired', reason: 'price_changed' });
    expect(await ann.session(ofPlan)).toMatchObject({ paymentStatus: 'refunded', reason: 'no_longer_offered' });
    await waitUntil('it is refunded', async () => (await orders())[1] === 'refunded: no longer offered');
    expect((await charged(ofPlan)).charge).toMatchObject({ refunded: true });
    expect(await ann.plan()).toBeUndefined();
    expect(await ann.history()).toEqual([
      `subscription_create refunded ${before.plans.find(({ planId }) => planId === 'basic')?.amount}`,
      `refund completed ${before.plans.find(({ planId }) => planId === 'basic')?.amount}`,
    ]);
  });

  test('a refund that fails at the bank days later is shown in the history, in the order, and to the operator', async () => {
    const sessionId = await flagged();
    const [one] = (await payments().checkout.flagged.list()).filter(({ userId }) => userId === ann.userId);
    await payments().checkout.flagged.decide(one?.id ?? '', 'return');
    const { intent } = await charged(sessionId);
    const [refund] = (await shop.stripe.refunds.list({ payment_intent: intent })).data;
    await shop.control.failRefund(refund?.id ?? '');
    const troubled = 'flagged: not what was ordered: amount; its refund failed';
    await waitUntil('it is flagged again', async () => (await orders())[0] === troubled);
    expect(await alarms('payment.refund-failed')).toBe(1);
    shop.ahead.ms = 8 * dayMs;
    expect(await payments().returnFlagged()).toBe(1);
    const { data } = await shop.stripe.refunds.list({ payment_intent: intent });
    expect(data.map(({ status }) => status).toSorted()).toEqual(['failed', 'succeeded']);
  });

  test('a failed refund of a purchase restores its credits, and the purchase is shown as paid again', async () => {
    const { intentId, price, credits: bought } = await ann.buyCredits();
    const refund = await shop.stripe.refunds.create({ payment_intent: intentId });
    await waitUntil('they are gone', async () => (await ann.credits()) === 0);
    await shop.control.failRefund(refund.id);
    await waitUntil('they are back', async () => (await ann.credits()) === bought);
    await settle(shop);
    expect(await ann.history()).toEqual([`credit_purchase completed ${price}`, `refund failed ${price}`]);
    const { rows } = await shop.db.query(
      `select action from audit_log where action = 'payment.refund-failed' and details->>'refund' = $1`,
      [refund.id],
    );
    expect(rows).toHaveLength(1);
  });

  test('an upgrade of a plan paid by debit begins with the next period, and costs nothing now', async () => {
    const { checkoutUrl, sessionId } = await ann.api.startCheckout({ body: basic });
    await pay(shop, checkoutUrl, arrives);
    await bankDecides(sessionId);
    await waitUntil('it exists', async () => (await ann.plan()) !== undefined);
    const { currentPeriodEnd } = (await ann.plan()) ?? {};
    const tiers = async () => (await ann.api.getSubscription()).activeTiers;
    const changed = await ann.changePlan('pro');
    expect(changed.change).toMatchObject({
      kind: 'upgrade',
      amountDue: 0,
      creditsNow: 0,
      nextCredits: 1000,
      at: currentPeriodEnd,
      prorationDate: null,
    });
    expect(changed.message).toBe(`The Pro plan begins on ${utcDayText(currentPeriodEnd ?? '')}.`);
    expect(await ann.plan()).toMatchObject({ mcpId: 'basic', nextPlanId: 'pro' });
    expect(await tiers()).toEqual(['T0', 'T1']);
    const { subscription } = await shop.stripe.checkout.sessions.retrieve(sessionId);
    const clock = await giveClock(shop, String(subscription));
    // the period begins, and the bank has not decided yet whether to pay it
    await clock.advancePastRenewal();
    await waitUntil('the period', async () => (await ann.plan())?.currentPeriodEnd !== currentPeriodEnd);
    await payments().events.idle();
    expect(await ann.plan()).toMatchObject({ mcpId: 'basic', nextPlanId: 'pro' });
    expect(await tiers()).toEqual(['T0', 'T1']);
    await clock.advanceDays(4);
    await waitUntil('it has begun', async () => (await ann.plan())?.mcpId === 'pro');
    expect(await tiers()).toEqual(['T0', 'T1', 'T2']);
    expect(await ann.plan()).toMatchObject({ nextPlanId: null, status: 'active' });
  });
});
