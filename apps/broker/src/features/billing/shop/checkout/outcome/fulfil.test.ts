import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Database } from '#platform/db/database.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { describeOnEmbedded, describeOnPostgres } from '#testing/databases/databases.ts';
import { migrations } from '../../../../../migrations.ts';
import { checkLedger } from '../../../credits/accounts/check-ledger.ts';
import { newBuyer, pay, startShop, type Shop } from '../testing/shop.ts';

const minuteMs = 60_000;
const credits = { type: 'credit', planId: 'credits-500' } as const;

/** @param isWhole whether also what takes a while is tested */
function testFulfilment(open: () => Promise<Database>, isWhole: boolean): void {
  let shop: Shop;
  let buyer: Awaited<ReturnType<typeof newBuyer>>;
  beforeAll(async () => {
    shop = await startShop({ db: await open() });
  });
  beforeEach(async () => {
    shop.ahead.ms = 0;
    buyer = await newBuyer(shop);
  });
  afterEach(async () => {
    shop.control.resume();
    shop.control.duplicate(1);
    await shop.db.query('drop trigger if exists refuse_transactions on transactions');
    await shop.db.query('drop function if exists refuse_transactions()');
    expect(await checkLedger(shop.db)).toEqual([]);
  });
  afterAll(() => shop?.stop());

  const begin = () => buyer.api.startCheckout({ body: credits });
  const reconcile = () => shop.billing.payments?.reconcileOrders();
  const handled = () => shop.billing.payments?.events.idle();

  async function entries() {
    const { rows } = await shop.db.query('select delta, contra from ledger_entries where user_id = $1', [buyer.userId]);
    return rows;
  }
  async function transactions() {
    const { rows } = await shop.db.query(
      'select type, status, amount, currency, description, receipt_url, invoice_id from transactions where user_id = $1',
      [buyer.userId],
    );
    return rows;
  }
  async function order(sessionId: string) {
    const { rows } = await shop.db.query<{ id: string; status: string; reason: string | null }>(
      'select id, status, reason from checkout_orders where session_id = $1',
      [sessionId],
    );
    if (!rows[0]) throw new Error('there is no such order');
    return rows[0];
  }
  const once = [{ delta: 500, contra: 'purchased' }];
  const paid = { status: 'complete', paymentStatus: 'paid' };

  /** Sends a handwritten webhook in the form of the provider. */
  async function tell(type: string, objectId: string, id = `evt_${crypto.randomUUID()}`) {
    const payload = JSON.stringify({ id, object: 'event', type, livemode: false, data: { object: { id: objectId } } });
    const secret = shop.stripeSandbox?.access.webhookSecret ?? '';
    const headers = { 'stripe-signature': shop.stripe.webhooks.generateTestHeaderString({ payload, secret }) };
    return fetch(`${shop.publicUrl}/api/webhooks/stripe`, { method: 'POST', body: payload, headers });
  }

  test('the same webhook many times concurrently, two events of one fact, and the page meanwhile: the purchase is given once', async () => {
    const { checkoutUrl, sessionId } = await begin();
    shop.control.duplicate(4);
    await pay(shop, checkoutUrl);
    const told = [
      ...Array.from({ length: 4 }, () => tell('checkout.session.completed', sessionId, `evt_same_${sessionId}`)),
      ...Array.from({ length: 4 }, () => tell('checkout.session.async_payment_succeeded', sessionId)),
    ];
    const [answers, seen] = await Promise.all([
      Promise.all(told),
      Promise.all([1, 2, 3, 4].map(() => buyer.session(sessionId))),
      reconcile(),
    ]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    for (const one of seen) expect(one).toMatchObject(paid);
    await handled();
    expect(await entries()).toEqual(once);
    expect(await transactions()).toHaveLength(1);
    expect((await order(sessionId)).status).toBe('fulfilled');
  });

  if (!isWhole) return;

  test('[PAY-16] [PAY-17] if the webhook comes before the redirect, the result page shows the purchase as done', async () => {
    const { checkoutUrl, sessionId } = await begin();
    expect(await buyer.session(sessionId)).toMatchObject({ status: 'open', paymentStatus: 'unpaid' });
    await pay(shop, checkoutUrl);
    await waitUntil('the webhook has arrived', async () => (await buyer.credits()) > 0);
    expect(await buyer.session(sessionId)).toEqual({
      sessionId,
      status: 'complete',
      paymentStatus: 'paid',
      reason: null,
      planId: null,
      amountTotal: 500,
      currency: 'USD',
      customerEmail: buyer.email,
      metadata: { type: 'credits', mcpId: null },
    });
    expect(await entries()).toEqual(once);
    expect(await transactions()).toEqual([
      {
        type: 'credit_purchase',
        status: 'completed',
        amount: 500,
        currency: 'USD',
        description: 'Starter: 500 credits',
        receipt_url: expect.stringContaining('/dev-stripe/'),
        invoice_id: expect.stringMatching(/^in_/),
      },
    ]);
  });

  test('if the redirect comes before the webhook, the result page fulfills it, and the webhook adds nothing', async () => {
    const { checkoutUrl, sessionId } = await begin();
    shop.control.pause();
    await pay(shop, checkoutUrl);
    expect(await buyer.session(sessionId)).toMatchObject(paid);
    expect(await buyer.credits()).toBe(500);
    shop.control.resume();
    await tell('checkout.session.completed', sessionId);
    await handled();
    expect(await entries()).toEqual(once);
  });

  test('an event that is replayed days later adds nothing', async () => {
    const { checkoutUrl, sessionId } = await begin();
    await pay(shop, checkoutUrl);
    await waitUntil('the webhook has arrived', async () => (await buyer.credits()) > 0);
    shop.ahead.ms = 3 * 24 * 60 * minuteMs;
    const { data } = await shop.stripe.events.list({ types: ['checkout.session.completed'], limit: 100 });
    const event = data.find((one) => 'id' in one.data.object && one.data.object.id === sessionId);
    await shop.control.replay(event?.id ?? '');
    await handled();
    expect(await entries()).toEqual(once);
  });

  test('without a webhook and with the tab closed, the reconciler gives the purchase within ten minutes, and raises an alarm', async () => {
    const { checkoutUrl, sessionId } = await begin();
    shop.control.pause();
    await pay(shop, checkoutUrl);
    expect(await reconcile()).toMatchObject({ checked: 0 });
    shop.ahead.ms = 5 * minuteMs;
    expect(await reconcile()).toMatchObject({ fulfilled: 1 });
    expect(await buyer.credits()).toBe(500);
    expect(shop.logged()).toContain('a payment was found by the reconciler');
    const { id } = await order(sessionId);
    const { rows } = await shop.db.query('select action from audit_log where subject = $1', [id]);
    expect(rows).toEqual([{ action: 'payment.found-by-reconciler' }]);
    shop.control.resume();
    expect(await reconcile()).toMatchObject({ checked: 0 });
    expect(await entries()).toEqual(once);
  });

  test('an abandoned order gives nothing, and expires', async () => {
    const { sessionId } = await begin();
    shop.control.pause();
    shop.ahead.ms = 20 * minuteMs;
    await reconcile();
    expect((await order(sessionId)).status).toBe('open');
    await shop.stripe.checkout.sessions.expire(sessionId);
    await reconcile();
    expect((await order(sessionId)).status).toBe('expired');
    shop.control.resume();
    expect(await buyer.session(sessionId)).toMatchObject({ status: 'expired', paymentStatus: 'unpaid' });
    expect(await entries()).toEqual([]);
    expect(await transactions()).toEqual([]);
  });

  /** Replaces the order's session by another one at the provider, as if the broker had created that one. */
  async function beginWith(made: { quantity?: number; pieces?: number; reference?: string }) {
    const begun = await begin();
    const own = await shop.stripe.checkout.sessions.retrieve(begun.sessionId, { expand: ['line_items'] });
    const price = own.line_items?.data[0]?.price?.id ?? '';
    const item = { price, quantity: made.quantity ?? 1 };
    const session = await shop.stripe.checkout.sessions.create({
      mode: 'payment',
      line_items: Array.from({ length: made.pieces ?? 1 }, () => item),
      customer: String(own.customer),
      client_reference_id: made.reference ?? own.client_reference_id ?? '',
      metadata: own.metadata ?? {},
      success_url: own.success_url ?? '',
      invoice_creation: { enabled: true },
    });
    // so that the price alone does not reveal the difference
    await shop.db.query('update checkout_orders set session_id = $2, amount = $3 where session_id = $1', [
      begun.sessionId,
      session.id,
      session.amount_total,
    ]);
    return { sessionId: session.id, checkoutUrl: begun.checkoutUrl.replace(begun.sessionId, session.id) };
  }
  async function beginAndChange(text: string, ...values: string[]) {
    const begun = await begin();
    await shop.db.query(text, [begun.sessionId, ...values]);
    return begun;
  }
  const changeOrder = (change: string) => beginAndChange(`update checkout_orders set ${change} where session_id = $1`);
  async function beginAsAnother() {
    const { id } = await shop.stripe.customers.create({ email: buyer.email });
    return beginAndChange(
      'update payment_customers set customer_id = $2 where user_id = (select user_id from checkout_orders where session_id = $1)',
      id,
    );
  }

  test.each([
    ['amount', 'amount', () => changeOrder('amount = 400')],
    ['price', 'price', () => changeOrder("price_id = 'price_of_something_else'")],
    ['currency', 'currency', () => changeOrder("currency = 'EUR'")],
    ['user', 'user, customer', () => changeOrder('user_id = gen_random_uuid()')],
    ['customer', 'customer', beginAsAnother],
    ['quantity', 'quantity', () => beginWith({ quantity: 2 })],
    ['number of items', 'items', () => beginWith({ pieces: 2 })],
    ['order', 'order', () => beginWith({ reference: crypto.randomUUID() })],
  ])('a payment of another %s than ordered is not fulfilled, but flagged', async (name, differing, beginDifferent) => {
    const { checkoutUrl, sessionId } = await beginDifferent();
    await pay(shop, checkoutUrl);
    await waitUntil('it is flagged', async () => (await order(sessionId)).status === 'flagged');
    await handled();
    const { id, reason } = await order(sessionId);
    expect(reason).toBe(`not what was ordered: ${differing}`);
    expect(await entries()).toEqual([]);
    // the buyer sees that the payment is being checked
    expect(await transactions()).toMatchObject(name === 'user' ? [] : [{ status: 'pending' }]);
    const seen = await buyer.session(sessionId).catch(({ status }: { status: number }) => ({ refused: status }));
    expect(seen).toMatchObject(name === 'user' ? { refused: 404 } : { status: 'complete', paymentStatus: 'unpaid' });
    const { rows } = await shop.db.query('select action, reason from audit_log where subject = $1', [id]);
    expect(rows).toEqual([{ action: 'payment.flagged', reason }]);
    expect(shop.logged()).toContain('a payment is not what was ordered');
  });

  test('a process that dies in the middle leaves nothing half done, and the next attempt completes the order', async () => {
    const { checkoutUrl, sessionId } = await begin();
    // the last statement of the transaction fails, as if the connection were lost there
    await shop.db.query(
      `create function refuse_transactions() returns trigger language plpgsql as
       $$ begin raise exception 'killed' ; end $$`,
    );
    await shop.db.query(
      'create trigger refuse_transactions before insert on transactions for each row execute function refuse_transactions()',
    );
    await pay(shop, checkoutUrl);
    const attempts = async () => {
      const { rows } = await shop.db.query<{ error: string | null }>(
        'select error from payment_events where object_id = $1 and next_at is not null',
        [sessionId],
      );
      return rows[0]?.error ?? '';
    };
    await waitUntil('a try has failed', async () => (await attempts()).includes('killed'));
    expect(await entries()).toEqual([]);
    expect((await order(sessionId)).status).toBe('open');
    await shop.db.query('drop trigger refuse_transactions on transactions');
    await shop.db.query('drop function refuse_transactions()');
    shop.ahead.ms = 15 * minuteMs;
    await handled();
    expect(await entries()).toEqual(once);
    expect((await order(sessionId)).status).toBe('fulfilled');
  });

  test('a refused card gives nothing, and another card on the same page does', async () => {
    const { checkoutUrl, sessionId } = await begin();
    await expect(pay(shop, checkoutUrl, '4000000000000002')).rejects.toThrow(/not paid/);
    expect(await buyer.session(sessionId)).toMatchObject({ status: 'open', paymentStatus: 'unpaid' });
    await pay(shop, checkoutUrl);
    expect(await buyer.session(sessionId)).toMatchObject(paid);
    expect(await entries()).toEqual(once);
  });

  test('a lost answer of the provider leads to no second session, and the first one counts', async () => {
    const { checkoutUrl, sessionId } = await begin();
    const forget = () =>
      shop.db.query('update checkout_orders set session_id = null, checkout_url = null where session_id = $1', [
        sessionId,
      ]);
    await forget();
    expect(await begin()).toEqual({ success: true, checkoutUrl, sessionId });
    await forget();
    await pay(shop, checkoutUrl);
    await waitUntil('the webhook has arrived', async () => (await buyer.credits()) > 0);
    expect(await buyer.session(sessionId)).toMatchObject(paid);
    expect(await entries()).toEqual(once);
  });

  test('credits that are bought twice are there twice', async () => {
    for (const balance of [500, 1000]) {
      const { checkoutUrl, sessionId } = await begin();
      await pay(shop, checkoutUrl);
      await buyer.session(sessionId);
      expect(await buyer.credits()).toBe(balance);
    }
  });

  test('[PLAN-20] a package with a bonus brings its credits and the bonus', async () => {
    const { checkoutUrl, sessionId } = await buyer.api.startCheckout({
      body: { type: 'credit', planId: 'credits-2000' },
    });
    await pay(shop, checkoutUrl);
    await buyer.session(sessionId);
    expect(await entries()).toEqual([{ delta: 2200, contra: 'purchased' }]);
  });

  test('[PLAN-26] purchased credits never expire', async () => {
    const { checkoutUrl, sessionId } = await begin();
    await pay(shop, checkoutUrl);
    await buyer.session(sessionId);
    const { credits: account } = await buyer.api.getSubscription();
    expect(account.parts).toEqual([{ source: 'purchased', credits: 500, expiresAt: null }]);
  });
}

describeOnEmbedded('a purchase is given once', migrations, (open) => testFulfilment(open, true));
// with concurrent statements
describeOnPostgres('a purchase is given once', migrations, (open) => testFulfilment(open, false));
