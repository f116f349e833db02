import { billingHistoryEndpoints } from '@souk/contract/billing/billing-history.ts';
import { createClient } from '@souk/contract/client.ts';
import { utcDayText } from '@souk/contract/utc-day.ts';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { connectLegacy } from '#testing/people/mcp-clients.ts';
import { startHttpFixture, type HttpFixture } from '#testing/servers/mcp-fixture.ts';
import { withoutHealthChecks } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { settle, startShop, type Shop } from '../checkout/testing/shop.ts';
import { checkLedger } from '../../credits/accounts/check-ledger.ts';
import { giveClock, newSubscriber, type Subscriber } from './testing/subscriber.ts';

let shop: Shop;
let fixture: HttpFixture;
/** Cents a month, of the plans in the offers. */
const monthly = { basic: 200, pro: 1000 };

beforeAll(async () => {
  fixture = await startHttpFixture('both');
  shop = await startShop({ allowAddresses: [fixture.address], env: withoutHealthChecks });
  const billing = { tier: 'T3', rental: { price: 900 } };
  const connection = { type: 'http', url: fixture.url };
  await deployManifest(shop, { id: 'top', name: 'Summit', connection, billing });
  await deployManifest(shop, { id: 'ridge', name: 'Ridge', connection, billing });
  await deployManifest(shop, { id: 'hill', name: 'Hill', connection, billing: { tier: 'T2' } });
  const plans = await shop.billing.offers.plans();
  for (const { planId, monthlyCredits } of plans)
    if (planId in monthly) Object.assign(monthly, { [planId]: monthlyCredits });
});
afterEach(async () => {
  const [fault] = await checkLedger(shop.db);
  if (fault) throw new Error(fault.fault);
});
afterAll(async () => {
  await shop?.stop();
  await fixture?.close();
});

const historyOf = ({ accessToken }: Subscriber) =>
  createClient(billingHistoryEndpoints, { baseUrl: shop.publicUrl, fetch, token: async () => accessToken });
/** Calls an address that is written out as in the specification, and returns its answer. */
async function post({ accessToken }: Subscriber, path: string) {
  const headers = { authorization: `Bearer ${accessToken}` };
  const answer = await fetch(shop.publicUrl + path, { method: 'POST', headers });
  return { status: answer.status, body: Object(await answer.json()) };
}
/** Calls tools through the user's link. */
async function linkOf({ email }: Subscriber) {
  const { token } = await shop.identity.createPersonalToken({ email, name: 'test' });
  const client = await connectLegacy(`${shop.publicUrl}/mcp`, token);
  return {
    echo: (serverId: string) => client.callTool({ name: `${serverId}__echo`, arguments: { text: 'hi' } }),
    close: () => client.close(),
  };
}
const echoed = { content: [{ text: 'hi' }] };
const periodEnd = async (person: Subscriber) => (await person.plan())?.currentPeriodEnd ?? '';

test('a paid plan gives its tier and its monthly credits, once', async () => {
  const ann = await newSubscriber(shop);
  await ann.subscribe('pro');
  expect(await ann.plan()).toMatchObject({ mcpId: 'pro', status: 'active', source: 'payment', nextPlanId: null });
  const { activeTiers, credits } = await ann.api.getSubscription();
  expect(activeTiers).toEqual(['T0', 'T1', 'T2']);
  expect(credits.parts).toEqual([{ source: 'plan', credits: monthly.pro, expiresAt: await periodEnd(ann) }]);
  expect(await ann.history()).toEqual([expect.stringMatching(/^subscription_create completed [1-9]/)]);
});

test('[GEN-5] one user subscribes, buys credits, rents, cancels both, and switches a server off and on', async () => {
  const ann = await newSubscriber(shop);
  const bought = await ann.buyCredits();
  await ann.subscribe('pro');
  await ann.rent('top');
  expect(await ann.credits()).toBe(monthly.pro + bought.credits);
  const { id = '' } = (await ann.plan()) ?? {};
  await ann.api.cancelSubscription({ params: { id } });
  await ann.api.cancelRental({ params: { mcpId: 'top' } });
  expect([(await ann.plan())?.status, (await ann.rental())?.status]).toEqual(['canceled', 'canceled']);
  const headers = { authorization: `Bearer ${ann.accessToken}` };
  const switchTop = async (action: 'enable' | 'disable') => {
    await fetch(`${shop.publicUrl}/mcp/top/${action}`, { method: 'POST', headers });
    const answer = await fetch(`${shop.publicUrl}/v2/user/profile`, { headers });
    return Object(await answer.json()).disabledServers;
  };
  expect([await switchTop('disable'), await switchTop('enable')]).toEqual([['top'], []]);
});

test("[SUB-11] [ACC-22] the plan's call cancels only the caller's plan, which is usable until its period ends and not charged again", async () => {
  const [ann, bob] = [await newSubscriber(shop), await newSubscriber(shop)];
  const paymentId = await ann.subscribe('pro');
  const { id = '' } = (await ann.plan()) ?? {};
  const path = `/api/billing/cancel-subscription/${id}`;
  expect(await post(bob, path)).toMatchObject({ status: 404, body: { success: false, code: 'not_found' } });
  expect(await ann.plan(), 'of another user').toMatchObject({ id, status: 'active' });
  expect(await shop.stripe.subscriptions.retrieve(paymentId)).toMatchObject({ cancel_at_period_end: false });

  const { status, body } = await post(ann, path);
  expect([status, body.success, body.message]).toEqual([
    200,
    true,
    expect.stringMatching(/^The Pro plan is canceled\./),
  ]);
  expect(await ann.plan()).toMatchObject({ id, status: 'canceled' });
  const link = await linkOf(ann);
  expect(await link.echo('hill')).toMatchObject(echoed);
  expect((await ann.api.getSubscription()).activeTiers).toEqual(['T0', 'T1', 'T2']);

  const clock = await giveClock(shop, paymentId);
  await clock.advanceDays(32);
  await waitUntil('it has ended', async () => (await ann.plan()) === undefined);
  expect((await ann.api.getSubscription()).activeTiers).toEqual(['T0']);
  expect((await shop.stripe.invoices.list({ subscription: paymentId })).data).toHaveLength(1);
  await waitUntil('its tools are removed', async () => {
    return (await link.echo('hill').catch(() => ({ isError: true }))).isError === true;
  });
  await link.close();
});

test("[SUB-10] the rental's call cancels only the rental of this server, which is usable until its period ends", async () => {
  const ann = await newSubscriber(shop);
  const paymentId = await ann.rent('top');
  const listed = async () => (await ann.api.getSubscription()).subscription.rentals;
  const rentals = async () => Object.fromEntries((await listed()).map(({ mcpId, status }) => [mcpId, status]));
  const endOfOther = async () => (await listed()).find(({ mcpId }) => mcpId === 'ridge')?.endDate;
  const otherId = await ann.rent('ridge');
  await waitUntil('both are rented', async () => Object.keys(await rentals()).length === 2);
  const { status, body } = await post(ann, '/api/billing/cancel-rental/top');
  expect([status, body.success]).toEqual([200, true]);
  expect(await rentals()).toEqual({ top: 'canceled', ridge: 'active' });
  expect(await shop.stripe.subscriptions.retrieve(paymentId)).toMatchObject({ cancel_at_period_end: true });
  expect(await shop.stripe.subscriptions.retrieve(otherId)).toMatchObject({ cancel_at_period_end: false });
  const link = await linkOf(ann);
  for (const id of ['top', 'ridge']) expect(await link.echo(id), id).toMatchObject(echoed);

  const end = await endOfOther();
  const clock = await giveClock(shop, paymentId);
  await clock.advanceDays(32);
  await waitUntil('the canceled one has ended', async () => (await rentals())['top'] === undefined);
  await waitUntil('its tools are removed', async () => {
    return (await link.echo('top').catch(() => ({ isError: true }))).isError === true;
  });
  await waitUntil('the other one was renewed', async () => (await endOfOther()) !== end);
  expect(await rentals()).toEqual({ ridge: 'active' });
  expect(await link.echo('ridge')).toMatchObject(echoed);
  await link.close();
});

test('[SUB-11] [SUB-15] [SUB-22] [ACC-21] a plan is canceled at the end of its period, usable until then, and resumed', async () => {
  const ann = await newSubscriber(shop);
  const paymentId = await ann.subscribe('pro');
  const { id = '' } = (await ann.plan()) ?? {};
  const end = await periodEnd(ann);
  const cancelled = await ann.api.cancelSubscription({ params: { id } });
  expect(cancelled).toEqual({
    success: true,
    message: `The Pro plan is canceled. You keep access until ${utcDayText(end)} and can resume until then.`,
    endsAt: end,
  });
  expect(await ann.plan()).toMatchObject({ id, status: 'canceled', currentPeriodEnd: end });
  expect(await shop.stripe.subscriptions.retrieve(paymentId)).toMatchObject({ cancel_at_period_end: true });
  await expect(ann.api.cancelSubscription({ params: { id } })).rejects.toMatchObject({
    status: 409,
    code: 'not_active',
  });
  await ann.api.resumeSubscription({ params: { id } });
  expect(await ann.plan()).toMatchObject({ id, status: 'active' });
  await expect(ann.api.resumeSubscription({ params: { id } })).rejects.toMatchObject({
    status: 409,
    code: 'not_active',
  });
  await ann.api.cancelSubscription({ params: { id } });
  expect(await ann.history()).toEqual([
    expect.stringMatching(/^subscription_create completed/),
    'subscription_update completed 0',
    'subscription_cancel completed 0',
  ]);
  const { data } = await historyOf(ann).listTransactions({ params: { userId: ann.userId }, query: {} });
  expect(data.transactions.map(({ description }) => description)).toEqual([
    'Cancellation: Pro plan',
    'Resumed: Pro plan',
    'Pro plan',
  ]);
});

test('[SUB-10] a rental is canceled at the end of its period, usable until then, and resumed', async () => {
  const ann = await newSubscriber(shop);
  const paymentId = await ann.rent('top');
  expect(await ann.rental()).toMatchObject({ mcpId: 'top', status: 'active', type: 'monthly', source: 'payment' });
  const params = { mcpId: 'top' };
  const { endsAt, message } = await ann.api.cancelRental({ params });
  expect(endsAt).toBe((await ann.rental())?.endDate);
  expect(message).toContain('The rental of Summit is canceled');
  expect(await ann.rental()).toMatchObject({ status: 'canceled' });
  await ann.api.resumeRental({ params });
  expect(await ann.rental()).toMatchObject({ status: 'active' });
  expect(await shop.stripe.subscriptions.retrieve(paymentId)).toMatchObject({ cancel_at_period_end: false });
  expect(await ann.history()).toEqual([
    'rental_create completed 900',
    'rental_cancel completed 0',
    'rental_create completed 0',
  ]);
});

test('a renewal is paid once: the period moves, and the credits of the month come with it', async () => {
  const ann = await newSubscriber(shop);
  const clock = await giveClock(shop, await ann.subscribe('basic'));
  const first = await periodEnd(ann);
  await clock.advanceDays(32);
  await waitUntil('the renewal', async () => (await ann.history()).length === 2);
  // a read that began before may have found only its invoice
  await waitUntil('the period', async () => (await periodEnd(ann)) > first);
  expect(await ann.history()).toEqual([
    expect.stringMatching(/^subscription_create completed/),
    expect.stringMatching(/^subscription_update completed [1-9]/),
  ]);
  expect((await ann.api.getSubscription()).credits.parts.map(({ credits }) => credits)).toEqual([
    monthly.basic,
    monthly.basic,
  ]);
});

test('the history shows a rented server by its display name: at its start, its renewals and its end', async () => {
  const ann = await newSubscriber(shop);
  const clock = await giveClock(shop, await ann.rent('top'));
  await clock.advanceDays(32);
  await waitUntil('the renewal', async () => (await ann.history()).length === 2);
  await ann.api.cancelRental({ params: { mcpId: 'top' } });
  const { userId } = ann;
  const api = historyOf(ann);
  const dashboard = await api.getBillingDashboard({ params: { userId } });
  const listed = await api.listTransactions({ params: { userId }, query: {} });
  const names = ['Cancellation: Rental of Summit', 'Renewal: Rental of Summit', 'Rental of Summit'];
  for (const rows of [dashboard.data.recentTransactions, listed.data.transactions]) {
    expect(rows.map(({ description }) => description).toSorted()).toEqual(names);
    expect(new Set(rows.map(({ mcpId }) => mcpId))).toEqual(new Set(['top']));
  }
  const file = await api.getTransactionsCsv({ params: { userId }, query: {} });
  for (const name of names) expect(file).toContain(`,"${name}","top",`);
});

test('a cancellation is in the currency of the payment, and so is the total spent', async () => {
  const before = { plans: await shop.billing.offers.plans(), packages: await shop.billing.offers.packages() };
  const inEuros = before.plans.map((plan) => (plan.planId === 'basic' ? { ...plan, currency: 'EUR' } : plan));
  await shop.billing.offers.replace({ ...before, plans: inEuros });
  try {
    const ann = await newSubscriber(shop);
    await ann.subscribe('basic');
    await ann.api.cancelSubscription({ params: { id: (await ann.plan())?.id ?? '' } });
    const { data } = await historyOf(ann).getBillingDashboard({ params: { userId: ann.userId } });
    expect(data).toMatchObject({ totalTransactions: 2, currency: 'EUR' });
    expect(data.totalSpent).toBeGreaterThan(0);
  } finally {
    await shop.billing.offers.replace(before);
  }
});

test('a rental whose renewal fails stays usable, past due, and ends when the provider has charged in vain four times', async () => {
  const ann = await newSubscriber(shop);
  const paymentId = await ann.rent('top', '4000000000000341');
  const clock = await giveClock(shop, paymentId);
  const { token } = await shop.identity.createPersonalToken({ email: ann.email, name: 'test' });
  const client = await connectLegacy(`${shop.publicUrl}/mcp`, token);
  const call = () => client.callTool({ name: 'top__echo', arguments: { text: 'hi' } });
  const { id = '' } = (await ann.rental()) ?? {};
  await clock.advanceDays(32);
  await waitUntil('it is past due', async () => (await ann.rental())?.status === 'past_due');
  expect(await call()).toMatchObject({ content: [{ text: 'hi' }] });
  expect(await ann.api.getOpenPayment({ params: { id } })).toMatchObject({ amountDue: 900, currency: 'USD' });
  // charged again after 3, 5 and 7 days
  for (const days of [3, 5]) await clock.advanceDays(days);
  expect((await shop.stripe.subscriptions.retrieve(paymentId)).status).toBe('past_due');
  expect(await call()).toMatchObject({ content: [{ text: 'hi' }] });
  await clock.advanceDays(8);
  await waitUntil('it has ended', async () => (await ann.rental()) === undefined);
  await settle(shop);
  const [invoice] = (await shop.stripe.invoices.list({ subscription: paymentId })).data;
  expect(invoice).toMatchObject({ attempt_count: 4, status: 'void' });
  expect(await shop.stripe.subscriptions.retrieve(paymentId)).toMatchObject({ status: 'canceled' });
  await waitUntil(
    'its tools are removed',
    async () => (await call().catch(() => ({ isError: true }))).isError === true,
  );
  await client.close();
  await expect(ann.api.getOpenPayment({ params: { id } })).rejects.toMatchObject({ status: 404 });
  expect(await ann.history()).toEqual(['rental_create completed 900', 'rental_cancel completed 0']);
});

test('a user cannot end or change what an administrator gave', async () => {
  const ann = await newSubscriber(shop);
  const given = { id: crypto.randomUUID(), ends: new Date(Date.now() + 86_400_000) };
  await shop.db.query(
    `insert into subscriptions (id, user_id, livemode, plan_id, source, started_at, period_ends_at)
     values ($1, $2, false, 'pro', 'administrator', now(), $3)`,
    [given.id, ann.userId, given.ends],
  );
  await shop.db.query(
    `insert into access_grants (id, user_id, livemode, server_id, kind, source, period, started_at, period_ends_at)
     values ($1, $2, false, 'top', 'rental', 'administrator', 'weekly', now(), $3)`,
    [crypto.randomUUID(), ann.userId, given.ends],
  );
  const params = { id: given.id, mcpId: 'top' };
  const refused = { status: 409, code: 'not_yours_to_end' };
  await expect(ann.api.cancelSubscription({ params })).rejects.toMatchObject(refused);
  await expect(ann.api.resumeSubscription({ params })).rejects.toMatchObject(refused);
  await expect(ann.api.cancelRental({ params })).rejects.toMatchObject(refused);
  const body = { planId: 'basic', preview: true };
  await expect(ann.api.changeSubscription({ params, body })).rejects.toMatchObject(refused);
  expect(await ann.plan()).toMatchObject({ status: 'active', source: 'administrator' });
});

test('while the provider does not respond, nothing is changed and the user is told to try again', async () => {
  const ann = await newSubscriber(shop);
  await ann.subscribe('pro');
  const { id = '' } = (await ann.plan()) ?? {};
  await shop.network.stop();
  try {
    const refused = { status: 503, code: 'payments_unavailable' };
    await expect(ann.api.cancelSubscription({ params: { id } })).rejects.toMatchObject(refused);
  } finally {
    await shop.network.resume();
  }
  expect(await ann.plan()).toMatchObject({ status: 'active' });
  await ann.api.cancelSubscription({ params: { id } });
});
