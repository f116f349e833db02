import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { describeOnEmbedded } from '#testing/databases/databases.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { newSubscriber, type Subscriber } from '../subscriptions/testing/subscriber.ts';
import { pay, settle, startShop, type Shop } from './testing/shop.ts';
import { migrations } from '../../../../migrations.ts';

const credits = { type: 'credit', planId: 'credits-500' } as const;

describeOnEmbedded('errors and refusals of the provider', migrations, (open) => {
  let shop: Shop;
  let ann: Subscriber;
  beforeAll(async () => {
    shop = await startShop({ db: await open() });
  });
  beforeEach(async () => {
    ann = await newSubscriber(shop);
  });
  afterAll(() => shop?.stop());

  const customersOf = async ({ email }: Subscriber) => (await shop.stripe.customers.list({ email, limit: 100 })).data;
  const sandboxRow = (text: string, values: unknown[]) => shop.db.query(text, values);

  test('a customer that was deleted at the provider is replaced, and the user can buy again', async () => {
    const paymentId = await ann.subscribe('basic');
    const [first] = await customersOf(ann);
    await shop.stripe.customers.del(first?.id ?? '');
    await waitUntil('the plan has ended', async () => (await ann.plan()) === undefined);
    expect((await shop.stripe.subscriptions.retrieve(paymentId)).status).toBe('canceled');
    const [{ checkoutUrl, sessionId }, again] = await Promise.all([
      ann.api.startCheckout({ body: credits }),
      ann.api.startCheckout({ body: credits }),
    ]);
    expect(again.sessionId).toBe(sessionId);
    await pay(shop, checkoutUrl);
    await waitUntil('the credits have arrived', async () => (await ann.credits()) >= 500);
    const { customer } = await shop.stripe.checkout.sessions.retrieve(sessionId);
    expect(customer).not.toBe(first?.id);
  });

  test('a subscription that the provider does not have any more ends here, and no job asks again', async () => {
    // what other tests took away
    await shop.billing.payments?.subscriptions.endRevoked();
    const paymentId = await ann.subscribe('basic');
    await settle(shop);
    await sandboxRow('delete from stripe_sandbox.objects where id = $1', [paymentId]);
    await shop.billing.payments?.subscriptions.reconcile();
    expect(await ann.plan()).toBeUndefined();
    const { rows } = await shop.db.query('select is_over from subscription_syncs where payment_id = $1', [paymentId]);
    expect(rows).toEqual([{ is_over: true }]);
    const { rows: told } = await shop.db.query(
      `select action from audit_log where action = 'subscription.missing' and subject = $1`,
      [ann.userId],
    );
    expect(told).toHaveLength(1);
    const before = shop.control.requests();
    await shop.billing.payments?.subscriptions.endRevoked();
    await shop.billing.payments?.subscriptions.endWanted();
    expect(shop.control.requests()).toBe(before);
  });

  test('if the provider does not know the customer either, it is another account: nothing ends', async () => {
    const paymentId = await ann.subscribe('basic');
    await settle(shop);
    const [customer] = await customersOf(ann);
    const { rows } = await shop.db.query('select * from stripe_sandbox.objects where id = any($1::text[])', [
      [paymentId, customer?.id],
    ]);
    expect(rows).toHaveLength(2);
    await sandboxRow('delete from stripe_sandbox.objects where id = any($1::text[])', [[paymentId, customer?.id]]);
    await shop.billing.payments?.subscriptions.reconcile();
    expect(await ann.plan()).toMatchObject({ mcpId: 'basic' });
    expect(shop.logged()).toContain('knows neither a subscription nor its customer');
    await shop.db.query('update subscriptions set ended_at = now() where payment_id = $1', [paymentId]);
    await shop.db.query('update subscription_syncs set is_over = true where payment_id = $1', [paymentId]);
  });

  test('a permanent refusal of the provider is distinguished from an outage, and says what to do', async () => {
    await ann.subscribe('basic');
    const [customer] = await customersOf(ann);
    await sandboxRow(`update stripe_sandbox.objects set body = jsonb_set(body, '{currency}', '"eur"') where id = $1`, [
      customer?.id,
    ]);
    await shop.db.query(`update subscriptions set ended_at = now() where user_id = $1`, [ann.userId]);
    const other = { type: 'subscription', planId: 'pro' } as const;
    await expect(ann.api.startCheckout({ body: other })).rejects.toMatchObject({
      status: 409,
      code: 'payment_refused',
      message: expect.stringMatching(/^You already pay for something here in another currency.* Cancel that first/),
    });
    await shop.network.stop();
    await expect(ann.api.startCheckout({ body: credits })).rejects.toMatchObject({
      status: 503,
      code: 'payments_unavailable',
      message: expect.stringContaining('try again in a moment'),
    });
    await shop.network.resume();
  });

  test.each(['before', 'after'] as const)(
    'a failure %s the work that the provider stores under its idempotency key does not prevent a purchase',
    async (when) => {
      for (const path of ['/v1/customers', '/v1/checkout/sessions']) shop.control.failNext(path, when);
      const start = () => ann.api.startCheckout({ body: credits });
      let begun: Awaited<ReturnType<typeof start>> | undefined;
      for (let attempt = 0; attempt < 3; attempt += 1) begun ??= await start().catch(() => undefined);
      const { checkoutUrl } = begun ?? (await start());
      await pay(shop, checkoutUrl);
      await waitUntil('the credits have arrived', async () => (await ann.credits()) === 500);
      expect(await customersOf(ann)).toHaveLength(1);
    },
  );

  test('a refusal that the provider stores under its idempotency key does not outlast its cause', async () => {
    shop.control.failNext('/v1/checkout/sessions', 'refused');
    const refused = { status: 409, code: 'payment_refused' };
    await expect(ann.api.startCheckout({ body: credits })).rejects.toMatchObject(refused);
    const { checkoutUrl } = await ann.api.startCheckout({ body: credits });
    await pay(shop, checkoutUrl);
    await waitUntil('the credits have arrived', async () => (await ann.credits()) === 500);
  });

  test.each(['before', 'after'] as const)(
    'a refund whose response is a failure %s the work is made once',
    async (when) => {
      const { intentId } = await ann.buyCredits();
      const order = async () => {
        const { rows } = await shop.db.query<{ status: string }>(
          `select status from checkout_orders where user_id = $1`,
          [ann.userId],
        );
        return rows[0]?.status;
      };
      await shop.db.query(`update checkout_orders set status = 'returning', reason = 'paid twice' where user_id = $1`, [
        ann.userId,
      ]);
      shop.control.failNext('/v1/refunds', when);
      const { rows } = await shop.db.query<{ session_id: string }>(
        'select session_id from checkout_orders where user_id = $1',
        [ann.userId],
      );
      for (let attempt = 0; attempt < 3 && (await order()) !== 'refunded'; attempt += 1)
        await ann.session(rows[0]?.session_id ?? '').catch(() => undefined);
      expect(await order()).toBe('refunded');
      const { data } = await shop.stripe.refunds.list({ payment_intent: intentId });
      expect(data).toHaveLength(1);
    },
  );

  test('a change of e-mail address reaches the provider, once', async () => {
    await ann.buyCredits();
    await shop.billing.payments?.sendAddresses();
    const [customer] = await customersOf(ann);
    await shop.db.query('update users set email = $2 where id = $1', [ann.userId, `new-${ann.email}`]);
    await shop.billing.payments?.sendAddresses();
    expect(await shop.stripe.customers.retrieve(customer?.id ?? '')).toMatchObject({ email: `new-${ann.email}` });
    const told = async () => (await shop.stripe.events.list({ types: ['customer.updated'], limit: 100 })).data.length;
    const before = await told();
    await shop.billing.payments?.sendAddresses();
    expect(await told()).toBe(before);
  });
});
