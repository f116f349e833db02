import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Database } from '#platform/db/database.ts';
import { describeOnEmbedded, describeOnPostgres } from '#testing/databases/databases.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { migrations } from '../../../../migrations.ts';
import { newBuyer, pay, startShop, type Shop } from './testing/shop.ts';

const rental = { type: 'rental', mcpId: 'travel', period: 'monthly' } as const;

/** @param isWhole whether also what takes a while is tested */
function testTwice(open: () => Promise<Database>, isWhole: boolean): void {
  let shop: Shop;
  let buyer: Awaited<ReturnType<typeof newBuyer>>;
  beforeAll(async () => {
    shop = await startShop({ db: await open() });
    const connection = { type: 'http', url: 'http://127.0.0.1:9/mcp' };
    const billing = { tier: 'T2', rental: { price: 900, currency: 'USD' } };
    await deployManifest(shop, { id: 'travel', connection, billing }, 'unasked');
  });
  beforeEach(async () => {
    buyer = await newBuyer(shop);
  });
  afterEach(() => {
    shop.control.shuffle(() => 0);
    shop.control.drop(0);
  });
  afterAll(() => shop?.stop());

  async function rows(text: string) {
    return (await shop.db.query(text, [buyer.userId])).rows;
  }
  const statuses = async () =>
    (await rows('select status from checkout_orders where user_id = $1'))
      .map(({ status }) => String(status))
      .toSorted();
  const ended = () => waitUntil('both are decided', async () => String(await statuses()) === 'fulfilled,refunded');

  async function expectOneKept(amounts: readonly number[]) {
    const { data: customers } = await shop.stripe.customers.list({ email: buyer.email });
    const { data } = await shop.stripe.subscriptions.list({ customer: customers[0]?.id ?? '', status: 'all' });
    expect(data.map(({ status }) => status).toSorted()).toEqual(['active', 'canceled']);
    const history = await rows('select type, status, amount from transactions where user_id = $1');
    const refunds = history.filter(({ type }) => type === 'refund');
    expect(refunds).toHaveLength(1);
    expect(amounts).toContain(Number(refunds[0]?.['amount']));
    expect(history.filter(({ type, status }) => type !== 'refund' && status === 'completed')).toHaveLength(1);
  }

  test('of two paid checkouts for one rental one is kept; the other is canceled, refunded and recorded', async () => {
    const first = await buyer.api.startCheckout({ body: rental });
    // as if the page had been closed here and stayed open in another tab
    await shop.db.query(`update checkout_orders set status = 'expired' where user_id = $1`, [buyer.userId]);
    const second = await buyer.api.startCheckout({ body: rental });
    expect(second.sessionId).not.toBe(first.sessionId);
    await Promise.all([first, second].map(({ checkoutUrl }) => pay(shop, checkoutUrl)));
    await ended();
    await expectOneKept([900]);
    const seen = await Promise.all([first, second].map(({ sessionId }) => buyer.session(sessionId)));
    expect(seen.map(({ paymentStatus, reason }) => `${paymentStatus} ${reason}`).toSorted()).toEqual([
      'paid null',
      'refunded paid_twice',
    ]);
    expect((await buyer.api.getSubscription()).subscription.rentals).toHaveLength(1);
  });

  test('of two plans that are paid concurrently one is kept, with its credits only', async () => {
    const plans = ['basic', 'pro'];
    const begun = await Promise.all(
      plans.map((planId) => buyer.api.startCheckout({ body: { type: 'subscription', planId } })),
    );
    await Promise.all(begun.map(({ checkoutUrl }) => pay(shop, checkoutUrl)));
    await ended();
    await expectOneKept([500, 1900]);
    const { subscription, credits } = await buyer.api.getSubscription();
    expect(subscription.subscriptions).toHaveLength(1);
    expect(credits.parts).toHaveLength(1);
  });

  if (!isWhole) return;

  test('[PAY-17] a rental is usable as soon as its payment is shown as paid, and is not shown as paid before', async () => {
    const { checkoutUrl, sessionId } = await buyer.api.startCheckout({ body: rental });
    // the provider has the money, and the rental cannot be recorded
    await shop.db.query(
      `create function refuse_grants() returns trigger language plpgsql as
       $$ begin raise exception 'no rental' ; end $$`,
    );
    await shop.db.query(
      'create trigger refuse_grants before insert on access_grants for each row execute function refuse_grants()',
    );
    const orders = () => rows('select status from checkout_orders where user_id = $1');
    try {
      await pay(shop, checkoutUrl);
      await waitUntil('it is accepted', async () => (await statuses())[0] === 'paid');
      for (const _ of [1, 2]) await expect(buyer.session(sessionId)).rejects.toMatchObject({ status: 500 });
      expect(await orders()).toEqual([{ status: 'paid' }]);
      expect((await buyer.api.getSubscription()).subscription.rentals).toEqual([]);
    } finally {
      await shop.db.query('drop trigger refuse_grants on access_grants');
      await shop.db.query('drop function refuse_grants()');
    }
    expect(await buyer.session(sessionId)).toEqual({
      sessionId,
      status: 'complete',
      paymentStatus: 'paid',
      reason: null,
      planId: null,
      amountTotal: 900,
      currency: 'USD',
      customerEmail: buyer.email,
      metadata: { type: 'rental', mcpId: 'travel' },
    });
    const { access } = await buyer.api.getRentalOptions({ params: { mcpId: 'travel' } });
    expect(access).toMatchObject({ hasAccess: true, accessType: 'rental' });
    expect((await buyer.api.getSubscription()).subscription.rentals).toHaveLength(1);
    expect(await orders()).toEqual([{ status: 'fulfilled' }]);
  });

  test('[PAY-17] a paid plan names no server; an order that is marked as paid only in our database is not shown as paid', async () => {
    const body = { type: 'subscription', planId: 'basic' } as const;
    const { checkoutUrl, sessionId } = await buyer.api.startCheckout({ body });
    const session = { sessionId, amountTotal: 500, currency: 'USD', metadata: { type: 'subscription', mcpId: null } };
    await rows(`update checkout_orders set status = 'paid' where user_id = $1`);
    expect(await buyer.session(sessionId)).toMatchObject({ ...session, status: 'open', paymentStatus: 'unpaid' });
    await rows(`update checkout_orders set status = 'open' where user_id = $1`);
    await pay(shop, checkoutUrl);
    expect(await buyer.session(sessionId)).toMatchObject({ ...session, status: 'complete', paymentStatus: 'paid' });
  });

  test('invoice.paid before the session is completed grants one set of credits', async () => {
    shop.control.shuffle(() => 0.99);
    shop.control.drop(1, 'checkout.session.completed');
    const { checkoutUrl } = await buyer.api.startCheckout({ body: { type: 'subscription', planId: 'basic' } });
    await pay(shop, checkoutUrl);
    await waitUntil('the plan is active', async () => (await buyer.credits()) > 0);
    await shop.billing.payments?.events.idle();
    expect(await buyer.credits()).toBe(200);
    expect(await rows('select contra, delta from ledger_entries where user_id = $1')).toEqual([
      { contra: 'plan', delta: 200 },
    ]);
  });
}

describeOnEmbedded('a paid rental and a paid plan', migrations, (open) => testTwice(open, true));
// with concurrent statements
describeOnPostgres('a paid rental and a paid plan', migrations, (open) => testTwice(open, false));
