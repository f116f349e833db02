import { deleteMyAccount, exportMyData } from '@souk/contract/account.ts';
import { createClient } from '@souk/contract/client.ts';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { waitUntil } from '#testing/wait-until.ts';
import { checkLedger } from '../../credits/accounts/check-ledger.ts';
import { giveClock, newSubscriber, type Subscriber } from '../subscriptions/testing/subscriber.ts';
import { pay, startShop, type Shop } from './testing/shop.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await startShop();
});
afterEach(async () => {
  const [fault] = await checkLedger(shop.db);
  if (fault) throw new Error(fault.fault);
});
afterAll(() => shop?.stop());

const credits = { type: 'credit', planId: 'credits-500' } as const;
const basic = { type: 'subscription', planId: 'basic' } as const;

const account = ({ accessToken }: Subscriber) =>
  createClient([exportMyData, deleteMyAccount] as const, {
    baseUrl: shop.publicUrl,
    fetch,
    token: async () => accessToken,
  });
const deleteAccount = (person: Subscriber) =>
  account(person).deleteMyAccount({ params: { userId: person.userId }, body: { confirm: person.email } });
const sessionAt = (id: string) => shop.stripe.checkout.sessions.retrieve(id);
const statusesOf = async ({ userId }: Subscriber) => {
  const { rows } = await shop.db.query<{ kind: string; status: string }>(
    'select kind, status from checkout_orders where user_id = $1 order by kind',
    [userId],
  );
  return rows.map(({ kind, status }) => `${kind} ${status}`);
};
/** Returns what the provider took and kept of a user, in cents. */
async function kept(sessionId: string): Promise<number> {
  const { customer } = await sessionAt(sessionId);
  const { data } = await shop.stripe.charges.list({ customer: String(customer), limit: 100 });
  return data.filter(({ paid }) => paid).reduce((sum, one) => sum + one.amount - one.amount_refunded, 0);
}

test('the export of an account contains payments and open orders', async () => {
  const ann = await newSubscriber(shop);
  const { price, intentId } = await ann.buyCredits();
  const { customer } = await shop.stripe.paymentIntents.retrieve(intentId);
  const { data: invoices } = await shop.stripe.invoices.list({ customer: String(customer) });
  await ann.subscribe('basic');
  await ann.api.startCheckout({ body: credits });
  const { data } = await account(ann).exportMyData({ params: { userId: ann.userId } });
  expect(data).toMatchObject({
    transactions: [
      { type: 'subscription_create', status: 'completed', currency: 'USD' },
      {
        type: 'credit_purchase',
        status: 'completed',
        amount: price,
        currency: 'USD',
        receiptUrl: invoices[0]?.hosted_invoice_url,
      },
    ],
    orders: [{ status: 'open' }, { status: 'fulfilled' }, { status: 'fulfilled' }],
    subscriptions: [{ kind: 'plan', of: 'basic', endedAt: null }],
  });
});

test('a deletion closes the pages of open payments and ends the subscription at the provider: nothing is charged later', async () => {
  const ann = await newSubscriber(shop);
  const paymentId = await ann.subscribe('basic');
  const clock = await giveClock(shop, paymentId);
  const open = await ann.api.startCheckout({ body: credits });
  await deleteAccount(ann);
  expect(await sessionAt(open.sessionId)).toMatchObject({ status: 'expired' });
  await expect(pay(shop, open.checkoutUrl)).rejects.toThrow(/not paid: 410/);
  // if another read of it is running, that one ends it
  await waitUntil(
    'the subscription to end',
    async () => (await shop.stripe.subscriptions.retrieve(paymentId)).status === 'canceled',
  );
  const before = await kept(open.sessionId);
  await clock.advanceDays(70);
  expect((await shop.stripe.invoices.list({ subscription: paymentId })).data).toHaveLength(1);
  expect(await kept(open.sessionId)).toBe(before);
  expect(await statusesOf(ann)).toEqual(['credits expired', 'plan fulfilled']);
  await expect(ann.credits()).rejects.toMatchObject({ status: 401 });
  expect((await ann.history()).map((row) => row.split(' ')[0])).toContain('subscription_create');
});

test('a payment on a page that could not be closed is refunded, and its subscription ends', async () => {
  const ann = await newSubscriber(shop);
  const [one, two] = [await ann.api.startCheckout({ body: credits }), await ann.api.startCheckout({ body: basic })];
  await shop.network.stop();
  try {
    await deleteAccount(ann);
  } finally {
    await shop.network.resume();
  }
  for (const { checkoutUrl } of [one, two]) await pay(shop, checkoutUrl);
  await waitUntil('both to be refunded', async () =>
    (await statusesOf(ann)).every((status) => status.endsWith(' refunded')),
  );
  expect(await kept(one.sessionId)).toBe(0);
  const { subscription } = await sessionAt(two.sessionId);
  expect(await shop.stripe.subscriptions.retrieve(String(subscription))).toMatchObject({ status: 'canceled' });
  await shop.billing.payments?.events.idle();
  expect((await ann.history()).toSorted()).toEqual([
    'credit_purchase refunded 500',
    'refund completed 500',
    expect.stringMatching(/^refund completed [1-9]/),
    expect.stringMatching(/^subscription_create refunded [1-9]/),
  ]);
  const { rows: entries } = await shop.db.query('select from ledger_entries where user_id = $1', [ann.userId]);
  expect(entries).toHaveLength(0);
  const { rows } = await shop.db.query(
    `select action from audit_log join checkout_orders o on subject = o.id::text where o.user_id = $1`,
    [ann.userId],
  );
  expect(rows).toEqual([{ action: 'payment.refunded-after-deletion' }, { action: 'payment.refunded-after-deletion' }]);
});

test('a plan that is paid but not given yet when the account is deleted is refunded', async () => {
  const ann = await newSubscriber(shop);
  const { checkoutUrl, sessionId } = await ann.api.startCheckout({ body: basic });
  shop.control.pause();
  await pay(shop, checkoutUrl);
  const { subscription } = await sessionAt(sessionId);
  // as after a kill between the two steps of a fulfillment
  await shop.db.query(
    `update checkout_orders set status = 'paid', subscription_id = $2, created_at = now() - interval '10 minutes'
     where session_id = $1`,
    [sessionId, String(subscription)],
  );
  await deleteAccount(ann);
  shop.control.resume();
  await shop.billing.payments?.reconcileOrders();
  await waitUntil('it to be refunded', async () => (await statusesOf(ann)).includes('plan refunded'));
  expect(await kept(sessionId)).toBe(0);
  expect(await shop.stripe.subscriptions.retrieve(String(subscription))).toMatchObject({ status: 'canceled' });
});
