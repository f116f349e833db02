import { deleteMyAccount } from '@souk/contract/account.ts';
import { createClient } from '@souk/contract/client.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitUntil } from '#testing/wait-until.ts';
import { settle, startShop, type Shop } from '../checkout/testing/shop.ts';
import { newSubscriber } from '../subscriptions/testing/subscriber.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await startShop();
});
afterAll(() => shop?.stop());

/** Creates a subscriber with a credit balance at the provider, as the operator grants one there. */
async function withCredit(amount: number) {
  const ann = await newSubscriber(shop);
  const paymentId = await ann.subscribe('basic');
  await settle(shop);
  const customer = String((await shop.stripe.subscriptions.retrieve(paymentId)).customer);
  await shop.stripe.customers.createBalanceTransaction(customer, { amount: -amount, currency: 'usd' });
  await settle(shop);
  return { ann, paymentId, customer };
}
const balanceAtProvider = async (id: string) => {
  const customer = await shop.stripe.customers.retrieve(id);
  return 'balance' in customer ? customer.balance : undefined;
};

test('a balance at the provider is shown, and the nightly comparison counts it', async () => {
  const { ann } = await withCredit(8_000);
  expect((await ann.api.getSubscription()).balance).toEqual({ amountCents: 8_000, currency: 'USD' });
  await shop.billing.payments?.subscriptions.reconcile();
  expect(shop.logged()).toContain('customers have a balance at the payment provider');
});

test('an upgrade that a balance covers costs nothing, is shown so, and has its row in the history', async () => {
  const { ann, customer } = await withCredit(8_000);
  const { shown, confirm } = await ann.lookAtPlan('pro');
  expect(shown.amountDue).toBe(0);
  await confirm();
  expect(await ann.plan()).toMatchObject({ mcpId: 'pro' });
  expect((await ann.history()).at(-1)).toBe('subscription_update completed 0');
  const { balance } = await ann.api.getSubscription();
  expect(balance?.amountCents).toBe(-((await balanceAtProvider(customer)) ?? 0));
});

test('the balance of a deleted account is cleared, and its charge refunded, once', async () => {
  const { ann, customer } = await withCredit(300);
  const account = createClient([deleteMyAccount], {
    baseUrl: shop.publicUrl,
    fetch,
    token: async () => ann.accessToken,
  });
  await account.deleteMyAccount({ params: { userId: ann.userId }, body: { confirm: ann.email } });
  for (let run = 0; run < 2; run += 1) await shop.billing.payments?.clearings.clearDue();
  await waitUntil('it is cleared', async () => (await balanceAtProvider(customer)) === 0);
  const { data } = await shop.stripe.charges.list({ customer });
  expect(data.map(({ amount_refunded: refunded }) => refunded)).toEqual([300]);
});
