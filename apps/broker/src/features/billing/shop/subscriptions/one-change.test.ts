import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { settle, startShop, type Shop } from '../checkout/testing/shop.ts';
import { checkLedger } from '../../credits/accounts/check-ledger.ts';
import { moneyOf, planAtProvider } from './testing/money-of.ts';
import { newSubscriber, type Subscriber } from './testing/subscriber.ts';

// A user's changes happen sequentially, based on the provider's state, and cost what was shown.

let shop: Shop;
/** Cents a month. */
let amounts: Record<string, number>;
let monthly: Record<string, number>;
beforeAll(async () => {
  shop = await startShop();
  const plans = await shop.billing.offers.plans();
  amounts = Object.fromEntries(plans.map(({ planId, amount }) => [planId, amount]));
  monthly = Object.fromEntries(plans.map(({ planId, monthlyCredits }) => [planId, monthlyCredits]));
});
let ann: Subscriber;
let paymentId: string;
beforeEach(async () => {
  ann = await newSubscriber(shop);
  paymentId = await ann.subscribe('basic');
  await settle(shop);
});
afterEach(async () => {
  shop.control.lockObjects(false);
  const [fault] = await checkLedger(shop.db);
  if (fault) throw new Error(fault.fault);
});
afterAll(() => shop?.stop());

const path = () => `/v1/subscriptions/${paymentId}`;
const expire = () => shop.db.query(`update purchase_locks set until = clock_timestamp() - interval '1 s'`);
/** Finishes the work that is left after conflicting changes. */
async function rest(): Promise<void> {
  await settle(shop);
  const { subscriptions } = shop.billing.payments ?? {};
  await subscriptions?.retryReadings();
  await subscriptions?.returnOwed();
  await settle(shop);
}

test('of two concurrent upgrades from two tabs one happens, and the other is told the new price', async () => {
  const [enterprise, pro] = [await ann.lookAtPlan('enterprise'), await ann.lookAtPlan('pro')];
  const answers = await Promise.allSettled([enterprise.confirm(), pro.confirm()]);
  const made = answers.flatMap((one) => (one.status === 'fulfilled' ? [one.value.change] : []));
  const refused = answers.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  expect([made.length, refused.length]).toEqual([1, 1]);
  expect(refused[0]).toMatchObject({ status: 409, code: 'price_changed', price: { currency: 'USD' } });
  await rest();
  const planId = made[0]?.planId ?? '';
  expect(await ann.plan()).toMatchObject({ mcpId: planId, nextPlanId: null });
  expect(await planAtProvider(shop, paymentId)).toBe(planId);
  expect(await moneyOf(shop, paymentId)).toEqual({ kept: amounts[planId], balance: 0 });
  expect(await ann.credits()).toBe(monthly[planId]);
});

test('a change whose answer was lost is found by its name, and the same click leads to it', async () => {
  const { shown, confirm } = await ann.lookAtPlan('enterprise');
  shop.control.failNext(path(), 'after');
  expect(await confirm()).toMatchObject({ change: { planId: 'enterprise', amountDue: shown.amountDue } });
  expect(await confirm()).toMatchObject({ change: { planId: 'enterprise', amountDue: shown.amountDue } });
  await rest();
  expect(await moneyOf(shop, paymentId)).toEqual({ kept: amounts['enterprise'], balance: 0 });
  expect(await ann.history()).toHaveLength(2);
});

test("after a change whose result the user was not told, another change is judged by the provider's state", async () => {
  const pro = await ann.lookAtPlan('pro');
  const held = shop.control.hold(`POST ${path()}`, 'after');
  const slow = (await ann.lookAtPlan('enterprise')).confirm();
  await held.reached;
  await expect(pro.confirm(), 'the first is still running').rejects.toMatchObject({
    status: 409,
    code: 'change_under_way',
    message: expect.stringContaining('Another change is under way'),
  });
  held.release();
  await slow;
  await expect(pro.confirm()).rejects.toMatchObject({
    code: 'price_changed',
    price: { amountDue: 0, nextAmount: amounts['pro'] },
  });
  await rest();
  expect(await moneyOf(shop, paymentId)).toEqual({ kept: amounts['enterprise'], balance: 0 });
});

test('a downgrade made in between does not change a price that was shown', async () => {
  const upgraded = await ann.changePlan('pro');
  expect(upgraded.change.planId).toBe('pro');
  const enterprise = await ann.lookAtPlan('enterprise');
  await ann.changePlan('basic');
  await expect(enterprise.confirm()).rejects.toMatchObject({ status: 400, code: 'invalid_request' });
  await rest();
  expect(await moneyOf(shop, paymentId)).toEqual({ kept: amounts['pro'], balance: 0 });
  expect(await ann.plan()).toMatchObject({ mcpId: 'pro', nextPlanId: 'basic' });
});

test('a change that a frozen broker sends late is reverted: its price, and its payment', async () => {
  const [enterprise, pro] = [await ann.lookAtPlan('enterprise'), await ann.lookAtPlan('pro')];
  const held = shop.control.hold(`POST ${path()}`, 'before');
  const late = enterprise.confirm().catch((error: unknown) => error);
  await held.reached;
  await expire();
  await pro.confirm();
  held.release();
  expect(await late).toMatchObject({ status: 409 });
  await rest();
  expect(await planAtProvider(shop, paymentId)).toBe('pro');
  expect(await moneyOf(shop, paymentId)).toEqual({ kept: amounts['pro'], balance: 0 });
  expect(await ann.plan()).toMatchObject({ mcpId: 'pro', nextPlanId: null });
  expect(await ann.credits()).toBe(monthly['pro']);
});

test('a cancellation drops a change that the provider has not made yet', async () => {
  const { confirm } = await ann.lookAtPlan('enterprise');
  const held = shop.control.hold(`POST ${path()}`, 'before');
  const late = confirm().catch((error: unknown) => error);
  await held.reached;
  await expire();
  await ann.api.cancelSubscription({ params: { id: (await ann.plan())?.id ?? '' } });
  held.release();
  expect(await late).toMatchObject({ status: 409 });
  await rest();
  expect(await ann.plan()).toMatchObject({ mcpId: 'basic', status: 'canceled' });
  expect(await moneyOf(shop, paymentId)).toEqual({ kept: amounts['basic'], balance: 0 });
});

test('a request for an object that is locked at the provider is retried', async () => {
  shop.control.failNext(path(), 'locked', 2);
  await ann.changePlan('pro');
  expect(await moneyOf(shop, paymentId)).toEqual({ kept: amounts['pro'], balance: 0 });
});

test('a change must say what was shown', async () => {
  const params = { id: (await ann.plan())?.id ?? '' };
  await expect(ann.api.changeSubscription({ params, body: { planId: 'pro' } })).rejects.toMatchObject({
    status: 400,
    code: 'invalid_request',
  });
});
