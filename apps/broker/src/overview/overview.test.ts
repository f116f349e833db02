import { randomUUID } from 'node:crypto';
import { adminBillingEndpoints } from '@souk/contract/admin/billing.ts';
import { adminManifestEndpoints } from '@souk/contract/admin/manifests.ts';
import { adminOfferEndpoints } from '@souk/contract/admin/offers.ts';
import { adminOverviewEndpoints, type Needs } from '@souk/contract/admin/overview.ts';
import { adminServerEndpoints } from '@souk/contract/admin/servers.ts';
import { adminUserEndpoints } from '@souk/contract/admin/users.ts';
import { createClient, type Client } from '@souk/contract/client.ts';
import { toolChangeEndpoints } from '@souk/contract/catalogue/tool-changes.ts';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import { expireCredits, mergeFigures } from '#features/billing/index.ts';
import { pay, startShop, type Shop } from '#features/billing/shop/checkout/testing/shop.ts';
import {
  newSubscriber,
  refusedPlan,
  type Subscriber,
} from '#features/billing/shop/subscriptions/testing/subscriber.ts';
import { countPeople, mergeUsage } from '#features/usage/index.ts';
import type { Database } from '#platform/db/database.ts';
import { describeOnEmbedded, describeOnPostgres } from '#testing/databases/databases.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { postModern } from '#testing/people/mcp-clients.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { startEndingServer, type EndingServer } from '../features/gateway/call/testing/ending-server.ts';
import { migrations } from '../migrations.ts';

const endpoints = [
  ...adminBillingEndpoints,
  ...adminManifestEndpoints,
  ...adminOfferEndpoints,
  ...adminOverviewEndpoints,
  ...adminServerEndpoints,
  ...adminUserEndpoints,
  ...toolChangeEndpoints,
] as const;
const dayMs = 24 * 60 * 60_000;
/** A card whose payments are disputed immediately. */
const disputed = '4000000000000259';
const isoDay = (ms: number) => new Date(ms).toISOString().slice(0, 10);

let shop: Shop;
let server: EndingServer;
let other: EndingServer;
/** A server that a test changes and closes. */
let leaving: EndingServer;
let admin: Client<typeof endpoints>;
/** The needs before anything happened. */
let first: Awaited<ReturnType<typeof admin.getAdminNeeds>>;

/** Starts a shop for the tests of one block. */
function starts(open: () => Promise<Database>): void {
  beforeAll(async () => {
    [server, other, leaving] = await Promise.all([
      startEndingServer('modern'),
      startEndingServer('modern'),
      startEndingServer('modern'),
    ]);
    const allowAddresses = [server, other, leaving].map(({ address }) => address);
    shop = await startShop({ db: await open(), allowAddresses });
    await deployManifest(shop, {
      id: 'used',
      name: 'Used',
      connection: { type: 'http', url: server.url },
      billing: { tier: 'T0', toolCosts: { say: 3 } },
    });
    await deployManifest(shop, {
      id: 'top',
      name: 'Summit',
      connection: { type: 'http', url: other.url },
      billing: { tier: 'T3', rental: { price: 900 } },
    });
    await deployManifest(shop, { id: 'slow', name: 'Slow', connection: { type: 'http', url: other.url } });
    const { accessToken } = await new ScriptedBrowser(shop.publicUrl).signInWeb({ email: 'admin@souk.test' });
    admin = createClient(endpoints, { baseUrl: shop.publicUrl, fetch, token: async () => accessToken });
    first = await admin.getAdminNeeds();
  });
  afterEach(async () => {
    shop.ahead.ms = 0;
    shop.control.drop(0);
    await shop.network.resume();
  });
  afterAll(async () => {
    await shop?.stop();
    for (const one of [server, other, leaving]) await one?.close();
  });
}

const needs = async () => (await admin.getAdminNeeds()).needs;
const figures = () => admin.getAdminFigures();
async function untilTotal(kind: keyof Needs, total: number): Promise<void> {
  await waitUntil(`${total} of ${kind}`, async () => (await needs())[kind].total === total);
}

async function call({ accessToken }: Subscriber, ends: readonly string[]): Promise<void> {
  for (const end of ends) {
    const answer = await fetch(`${shop.publicUrl}/api/tool-runs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ serverId: 'used', tool: 'say', arguments: { end } }),
    });
    await answer.text();
  }
  await shop.billing.ledger.flush();
  await shop.usage.flush();
}

async function callBuiltIn({ email }: Subscriber): Promise<void> {
  const { token } = await shop.identity.createPersonalToken({ email, name: 'test' });
  const { body } = await postModern(`${shop.publicUrl}/mcp`, token, 'tools/call', {
    name: 'my_balance',
    arguments: {},
  });
  expect(body.result).toBeDefined();
  await shop.usage.flush();
}

// on both engines, since their SQL is long and rows are merged differently on each
function testFigures(): void {
  test('figures cover real payments, calls and credits, the same before and after they are merged', async () => {
    const was = await figures();
    const [ann, bob] = [await newSubscriber(shop), await newSubscriber(shop)];
    const { credits, price, intentId } = await ann.buyCredits();
    await bob.buyCredits();
    const planned = (await shop.billing.offers.plans()).find(({ planId }) => planId === 'basic');
    const rental = await ann.rent('top');
    await bob.subscribe('basic');
    await call(ann, ['ok', 'ok', 'reset']);
    await call(bob, ['ok']);
    await callBuiltIn(bob);
    // without credits: a user whose every call is refused used nothing
    await call(await newSubscriber(shop), ['ok']);
    await shop.stripe.refunds.create({ payment_intent: intentId, amount: price / 2 });
    await waitUntil('the refund is recorded', async () =>
      (await ann.history()).some((row) => row.startsWith('refund ')),
    );
    await shop.stripe.subscriptions.cancel(rental);
    await waitUntil('the rental is over', async () => (await ann.rental()) === undefined);

    const basic = planned?.amount ?? 0;
    const monthly = planned?.monthlyCredits ?? 0;
    const taken = credits / 2;
    const paid = price * 2 - price / 2 + 900 + basic;
    const left = credits * 2 + monthly - taken;
    const more = (sum: { now: number; before: number }, by: number) => ({ now: sum.now + by, before: sum.before });
    const expected = {
      livemode: false,
      plans: { active: more(was.plans.active, 1), began: more(was.plans.began, 1), ended: was.plans.ended },
      rentals: { active: was.rentals.active, began: more(was.rentals.began, 1), ended: more(was.rentals.ended, 1) },
      credits: {
        sold: more(was.credits.sold, left),
        used: more(was.credits.used, 9),
        owed: more(was.credits.owed, left - 9),
      },
      // two of Ann, one of Bob and one of a built-in tool, as in their own totals
      calls: more(was.calls, 4),
      errors: more(was.errors, 1),
      people: { now: was.people.now + 2 },
    };
    const before = await figures();
    expect(before).toMatchObject(expected);
    // four calls are too few to call a server slow or failing
    for (const told of [before.slowest, before.failing])
      expect(told.map(({ serverId }) => serverId)).not.toContain('used');
    const dollars = ({ revenue }: typeof was) => revenue.find(({ currency }) => currency === 'USD');
    const [dollarsWere, dollarsAre] = [dollars(was), dollars(before)];
    expect(dollarsAre).toMatchObject(more(dollarsWere ?? { now: 0, before: 0 }, paid));
    expect(dollarsAre?.byDay.at(-1)).toBe((dollarsWere?.byDay.at(-1) ?? 0) + paid);
    const dayWas = was.days.at(-1);
    expect(before.days.at(-1)).toEqual({
      date: isoDay(Date.now()),
      calls: (dayWas?.calls ?? 0) + 4,
      errors: (dayWas?.errors ?? 0) + 1,
      creditsUsed: (dayWas?.creditsUsed ?? 0) + 9,
      people: (dayWas?.people ?? 0) + 2,
    });
    await Promise.all([mergeFigures(shop.db), mergeUsage(shop.db)]);
    expect(await figures()).toEqual(before);
    const parts = await shop.db.query('select from figure_parts union all select from usage_parts');
    expect(parts.rows).toEqual([]);
  });

  test('figures are compared with the 30 days before; servers with enough calls are listed by speed and failures', async () => {
    const nowMs = Date.now();
    const [from, before] = [isoDay(nowMs - 29 * dayMs), isoDay(nowMs - 30 * dayMs)];
    const was = await figures();
    const person = randomUUID();
    const paid = (at: string, amount: number, change: { status?: string; type?: string; currency?: string } = {}) =>
      shop.db.query(
        `insert into transactions (id, user_id, livemode, type, status, description, amount, currency, idem, created_at)
         values ($1::uuid, $2, false, $3, $4, 'x', $5, $6, $1::text, $7)`,
        [
          randomUUID(),
          person,
          change.type ?? 'credit_purchase',
          change.status ?? 'completed',
          amount,
          change.currency ?? 'USD',
          at,
        ],
      );
    await paid(`${from}T00:00:00Z`, 100);
    await paid(`${before}T23:59:59Z`, 1000, { status: 'refunded' });
    await paid(`${before}T23:59:59Z`, 300, { type: 'refund' });
    await paid(`${before}T23:59:59Z`, 70, { currency: 'EUR' });
    // neither of these is received money
    await paid(`${from}T12:00:00Z`, 5000, { status: 'pending' });
    await paid(`${isoDay(nowMs - 60 * dayMs)}T23:59:59Z`, 9000);
    const uses = (
      userId: string,
      day: string,
      count: number,
      outcome: 'ok' | 'failed' | 'refused',
      durationMs: number,
      serverId = 'slow',
    ) => {
      for (let n = 0; n < count; n++) {
        const ids = { callId: randomUUID(), userId, serverId, clientId: 'client', tokenId: 'token' };
        const atMs = Date.parse(`${day}T12:00:00Z`);
        const reason = { ok: undefined, failed: 'timeout', refused: 'insufficient_credits' }[outcome];
        shop.usage.record({ ...ids, kind: 'tool', name: 'say', outcome, reason, credits: 0, durationMs, atMs });
      }
    };
    const back = randomUUID();
    // as statements of these days left them: credits and plans are counted on the day on which they change
    for (const [figure, day, amount] of [
      ['left_purchased', isoDay(nowMs - 60 * dayMs), 5],
      ['left_purchased', before, 40],
      ['left_plan', from, 7],
      ['credits_purchased', before, 30],
      ['credits_purchased', from, 6],
      ['credits_usage', before, -8],
      ['plans_new', isoDay(nowMs - 60 * dayMs), 2],
      ['plans_new', before, 3],
      ['plans_lost', from, 5],
    ] as const) {
      await shop.db.query(
        `insert into figure_parts (livemode, figure, currency, day, amount) values (false, $1, '', $2, $3)`,
        [figure, day, amount],
      );
    }
    uses(person, from, 21, 'ok', 40);
    uses(person, from, 1, 'failed', 40);
    uses(person, before, 4, 'failed', 40);
    uses(randomUUID(), before, 4, 'ok', 40);
    uses(back, isoDay(nowMs - 60 * dayMs), 50, 'ok', 40);
    for (const day of [from, before]) uses(randomUUID(), day, 1, 'refused', 0);
    uses(randomUUID(), from, 19, 'ok', 9000, 'top');
    await shop.usage.flush();
    await Promise.all([mergeUsage(shop.db), mergeFigures(shop.db)]);
    // more on the same days, when the first rows are merged
    await paid(`${from}T10:00:00Z`, 11);
    uses(person, from, 2, 'ok', 2000);
    uses(person, before, 2, 'failed', 40);
    uses(back, from, 1, 'ok', 40, 'elsewhere');
    await shop.usage.flush();
    await Promise.all([mergeUsage(shop.db), mergeFigures(shop.db)]);
    // the job at the start has counted these days
    await shop.db.query('delete from usage_people_days');
    await countPeople(shop.db, nowMs);
    const now = await figures();
    const us = { now: (was.revenue[0]?.now ?? 0) + 111, before: 700 };
    expect(now.revenue.map(({ currency, now: amount, before: earlier }) => [currency, amount, earlier])).toEqual([
      ['EUR', 0, 70],
      ['USD', us.now, us.before],
    ]);
    expect(now.revenue[1]?.byDay[0]).toBe(111);
    expect(now).toMatchObject({
      calls: { now: was.calls.now + 43, before: 4 },
      errors: { now: was.errors.now + 1, before: 6 },
      people: { now: was.people.now + 3, before: 2 },
      credits: {
        sold: { now: was.credits.sold.now + 6, before: 30 },
        used: { now: was.credits.used.now, before: 8 },
        owed: { now: was.credits.owed.now + 52, before: 45 },
      },
      plans: {
        active: { now: was.plans.active.now, before: 5 },
        began: { now: was.plans.began.now, before: 3 },
        ended: { now: was.plans.ended.now + 5, before: 0 },
      },
      // 23 answered calls of this server, 95 % of them within the second slowest; the failed one is listed separately
      slowest: [{ serverId: 'slow', name: 'Slow', calls: 23, p95Ms: 1750 }],
      failing: [{ serverId: 'slow', name: 'Slow', calls: 23, errors: 1 }],
    });
    expect(now.days[0]).toEqual({ date: from, calls: 43, errors: 1, creditsUsed: 0, people: 3 });
    // a day is counted once, and today not before its end
    await countPeople(shop.db, nowMs);
    expect(await figures()).toEqual(now);
  });

  test('credits that expired while their owner is inactive are no longer owed', async () => {
    const was = await figures();
    const ann = await newSubscriber(shop);
    await ann.subscribe('basic');
    const monthly = await ann.credits();
    expect((await figures()).credits.owed.now).toBe(was.credits.owed.now + monthly);
    const past = `now() - interval '1 minute'`;
    await shop.db.query(`update credit_lots set expires_at = ${past} where user_id = $1`, [ann.userId]);
    await shop.db.query(`update credit_accounts set next_expiry = ${past} where user_id = $1`, [ann.userId]);
    await expireCredits(shop.db, true);
    expect((await figures()).credits.owed.now).toBe(was.credits.owed.now + monthly);
    await expireCredits(shop.db, false);
    expect((await figures()).credits.owed.now).toBe(was.credits.owed.now);
  });
}

describeOnPostgres('the overview', migrations, (open) => {
  starts(open);
  testFigures();
});

describeOnEmbedded('the overview', migrations, (open) => {
  starts(open);
  testFigures();

  test('without anything to decide it says so, and only administrators see it', async () => {
    expect(first.waiting).toBe(0);
    const counts = Object.values(first.needs).map(({ total, items }) => total + items.length);
    expect(counts).toEqual(Array(12).fill(0));
    for (const path of ['needs', 'figures'])
      expect((await fetch(`${shop.publicUrl}/admin/overview/${path}`)).status).toBe(401);
  });

  test('credits of erased users are no longer owed or given', async () => {
    const credits = async () => {
      const { owed, given } = (await figures()).credits;
      return { owed: owed.now, given: given.now };
    };
    const was = await credits();
    const [ann, bob] = [await newSubscriber(shop), await newSubscriber(shop)];
    let bought = 0;
    for (const { userId, buyCredits } of [ann, bob]) {
      bought = (await buyCredits()).credits;
      await admin.setUserCredits({ params: { id: userId }, body: { credits: 1_000_000 } });
    }
    const had = (people: number) => ({
      owed: was.owed + people * bought,
      given: was.given + people * (1_000_000 - bought),
    });
    expect(await credits()).toEqual(had(2));
    const erase = ({ userId, email }: Subscriber) =>
      admin.eraseUser({ params: { id: userId }, body: { confirm: email } });
    await erase(ann);
    expect(await credits()).toEqual(had(1));
    const { rows } = await shop.db.query('select delta, contra from ledger_entries where user_id = $1 order by id', [
      ann.userId,
    ]);
    expect(rows.at(-1)).toEqual({ delta: -1_000_000, contra: 'expiry' });
    // credits that a broker leased for him are removed when it is back
    await call(bob, ['ok']);
    await erase(bob);
    await waitUntil('nothing of his is counted', async () => {
      await expireCredits(shop.db, false);
      const { owed, given } = await credits();
      return owed === was.owed && given === was.given;
    });
    await shop.billing.checkLedger();
    expect((await needs()).ledgerFaults.total).toBe(0);
  });

  test('plans count as on the Offers tab: paid ones, also after a cancellation, until they end', async () => {
    const both = async () => {
      const plans = (await admin.listAdminOffers()).offers.filter(({ fields }) => fields.kind === 'plan');
      const sum = (of: 'subscribers' | 'ending') => plans.reduce((total, plan) => total + plan[of], 0);
      return { overview: (await figures()).plans.active.now, offers: sum('subscribers'), ending: sum('ending') };
    };
    const was = await both();
    expect(was.offers).toBe(was.overview);
    const people = [await newSubscriber(shop), await newSubscriber(shop), await newSubscriber(shop)] as const;
    const [ann, bob, carl] = people;
    for (const { subscribe } of people) await subscribe('pro');
    const given = await newSubscriber(shop);
    await admin.addUserSubscription({ params: { id: given.userId }, body: { type: 'subscription', mcpId: 'pro' } });
    await admin.deactivateUser({ params: { id: ann.userId }, body: {} });
    await bob.api.cancelSubscription({ params: { id: (await bob.plan())?.id ?? '' } });
    expect(await both()).toEqual({
      overview: was.overview + 3,
      offers: was.overview + 3,
      ending: was.ending + 2,
    });
    await admin.eraseUser({ params: { id: carl.userId }, body: { confirm: carl.email } });
    expect(await both()).toEqual({
      overview: was.overview + 2,
      offers: was.overview + 2,
      ending: was.ending + 2,
    });
  });

  test('a failed renewal is listed with its time until it is paid', async () => {
    const { ann, clock, paymentId } = await refusedPlan(shop, 'past_due', 32);
    await untilTotal('failedRenewals', 1);
    const [{ since, ...owed } = { since: null }] = (await needs()).failedRenewals.items;
    expect(owed).toEqual({ userId: ann.userId, email: ann.email, kind: 'plan', what: 'Basic' });
    expect(Date.now() - Date.parse(since ?? '')).toBeLessThan(60_000);
    // after a second reading while past due, the time stays
    await clock.advanceDays(2);
    await shop.billing.payments?.subscriptions.reconcile();
    expect((await needs()).failedRenewals.items[0]?.since).toBe(since);
    const open = await ann.api.getOpenPayment({ params: { id: (await ann.plan())?.id ?? '' } });
    await pay(shop, open.paymentUrl);
    await untilTotal('failedRenewals', 0);
    expect((await shop.stripe.subscriptions.retrieve(paymentId)).status).toBe('active');
  });

  test('a dispute is listed with the day by which to respond, until the operator has responded', async () => {
    const bob = await newSubscriber(shop);
    const { chargeId, price } = await bob.buyCredits(disputed);
    await untilTotal('disputes', 1);
    const { data } = await shop.stripe.disputes.list({ charge: chargeId });
    const dueBy = data[0]?.evidence_details.due_by ?? 0;
    expect((await needs()).disputes.items).toEqual([
      {
        userId: bob.userId,
        email: bob.email,
        id: data[0]?.id,
        description: 'Starter: 500 credits',
        reason: 'fraudulent',
        amountCents: price,
        currency: 'USD',
        dueBy: new Date(dueBy * 1000).toISOString(),
      },
    ]);
    // immediately with the end of the week that Stripe gives
    expect(dueBy * 1000 - Date.now()).toBeGreaterThan(6 * dayMs);
    await shop.stripe.disputes.update(data[0]?.id ?? '', { evidence: { uncategorized_text: 'a letter' } });
    await untilTotal('disputes', 0);
  });

  test('an inquiry of the bank waits for a response too', async () => {
    const bob = await newSubscriber(shop);
    const { chargeId } = await bob.buyCredits();
    const id = await shop.control.openDispute(chargeId, { status: 'warning_needs_response' });
    await untilTotal('disputes', 1);
    expect((await needs()).disputes.items).toMatchObject([{ id, email: bob.email }]);
    await shop.control.closeDispute(id, 'warning_closed');
    await untilTotal('disputes', 0);
  });

  test('an event that cannot be processed is listed with its error until it is processed', async () => {
    const ann = await newSubscriber(shop);
    const { checkoutUrl } = await ann.api.startCheckout({ body: { type: 'credit', planId: 'credits-500' } });
    await shop.network.stop();
    await pay(shop, checkoutUrl);
    const failing = async () =>
      (await needs()).failingEvents.items.find(({ type }) => type === 'checkout.session.completed');
    await waitUntil('its event fails', async () => (await failing()) !== undefined);
    expect(await failing()).toMatchObject({ error: 'An error occurred with our connection to Stripe.' });
    expect((await failing())?.attempts).toBeGreaterThan(0);
    await shop.network.resume();
    await untilTotal('failingEvents', 0);
  });

  test('a payment that does not match its order is listed until the operator has decided', async () => {
    const ann = await newSubscriber(shop);
    const { checkoutUrl, sessionId } = await ann.api.startCheckout({ body: { type: 'credit', planId: 'credits-500' } });
    await shop.db.query('update checkout_orders set amount = amount + 1 where session_id = $1', [sessionId]);
    await pay(shop, checkoutUrl);
    await untilTotal('flaggedOrders', 1);
    const [order] = (await needs()).flaggedOrders.items;
    expect(order).toMatchObject({
      userId: ann.userId,
      email: ann.email,
      description: 'Starter: 500 credits',
      reason: 'not what was ordered: amount',
    });
    await shop.billing.payments?.checkout.flagged.decide(order?.orderId ?? '', 'return');
    await untilTotal('flaggedOrders', 0);
  });

  test('a failed refund is listed until the money is returned by another one, or by a lost dispute', async () => {
    const refund = async (person: Subscriber, amountCents: number) => {
      const { rows } = await shop.db.query<{ id: string }>(
        `select id from transactions where user_id = $1 and type <> 'refund'`,
        [person.userId],
      );
      const of = { userId: person.userId, paymentId: rows[0]?.id ?? '' };
      return shop.administration.refund(of, { amountCents, refundedCents: undefined }, { operator: 'test' });
    };
    const [ann, bob] = [await newSubscriber(shop), await newSubscriber(shop)];
    const { chargeId, price } = await ann.buyCredits();
    expect(await refund(ann, 200)).toMatchObject({ result: 'refunded' });
    const [made] = (await shop.stripe.refunds.list({ charge: chargeId })).data;
    await waitUntil('it is in the history', async () => (await ann.history()).includes('refund completed 200'));
    expect((await needs()).failedRefunds).toEqual({ total: 0, items: [] });
    await shop.control.failRefund(made?.id ?? '');
    await untilTotal('failedRefunds', 1);
    const [{ since, refundId, ...failed } = { since: null, refundId: '' }] = (await needs()).failedRefunds.items;
    expect(failed).toEqual({
      userId: ann.userId,
      email: ann.email,
      description: 'Starter: 500 credits',
      amountCents: 200,
      currency: 'USD',
      reason: 'the refund failed at the payment provider days later',
    });
    expect(refundId).toMatch(/^[0-9a-f-]{36}$/);
    expect(Date.now() - Date.parse(since ?? '')).toBeLessThan(60_000);
    expect(await refund(ann, 200)).toMatchObject({ result: 'refunded' });
    await untilTotal('failedRefunds', 0);

    const other = await bob.buyCredits();
    shop.control.drop(1000);
    const dispute = await shop.control.openDispute(other.chargeId);
    expect(await refund(bob, price)).toMatchObject({ result: 'failed' });
    expect((await needs()).failedRefunds.items).toMatchObject([
      { email: bob.email, amountCents: price, reason: expect.stringContaining('charged back') },
    ]);
    shop.control.drop(0);
    await shop.control.closeDispute(dispute, 'lost');
    await untilTotal('failedRefunds', 0);
  });

  test('an account that does not add up is listed until the next check finds no difference', async () => {
    const ann = await newSubscriber(shop);
    await ann.buyCredits();
    await shop.billing.checkLedger();
    expect((await needs()).ledgerFaults).toMatchObject({
      total: 0,
      items: [],
      checkedAt: expect.stringMatching(/^20/),
    });
    const change = (by: number) =>
      shop.db.query('update credit_accounts set balance = balance + $2 where user_id = $1', [ann.userId, by]);
    await change(7);
    await shop.billing.checkLedger();
    const { total, items } = (await needs()).ledgerFaults;
    expect(total).toBe(2);
    expect(items).toContainEqual({ userId: ann.userId, fault: 'lots come to 500, the balance is 507' });
    await change(-7);
    await shop.billing.checkLedger();
    expect((await needs()).ledgerFaults.total).toBe(0);
  });

  test('a changed tool and an unreachable server are listed until the tool is decided and the server is back', async () => {
    await deployManifest(shop, { id: 'leaves', name: 'Leaves', connection: { type: 'http', url: leaving.url } });
    const before = await admin.getAdminNeeds();
    onTestFinished(async () => {
      await admin.deleteManifest({ params: { id: 'leaves' }, body: {} });
    });
    leaving.changeTool();
    shop.upstreams.watch.refresh(['leaves'], true);
    await untilTotal('toolsUnderReview', 2);
    expect((await needs()).toolsUnderReview.items).toEqual([{ serverId: 'leaves', name: 'Leaves', tools: 2 }]);
    const { changes } = await admin.listToolChanges({ query: { status: 'pending' } });
    const [approved, rejected] = changes;
    if (!approved || !rejected) throw new Error('two tools changed');
    const counted = async () => {
      const { counts, manifests } = await admin.listManifests({ query: {} });
      return [counts.underReview, manifests.find(({ id }) => id === 'leaves')?.toolsUnderReview];
    };
    const hidden = async () =>
      (await admin.listServerTools({ params: { id: 'leaves' } })).tools
        .filter(({ underReview }) => underReview)
        .map(({ name, pendingChange, keptHidden }) => [name, pendingChange?.id, keptHidden]);
    await admin.approveToolChange({ params: { id: approved.id }, body: { reason: 'as announced' } });
    expect(await counted()).toEqual([1, 1]);
    expect(await hidden()).toEqual([[rejected.tool, rejected.id, null]]);
    const { change } = await admin.rejectToolChange({
      params: { id: rejected.id },
      body: { reason: 'it asks too much' },
    });
    // nothing is left to decide, and the tool stays hidden
    expect((await needs()).toolsUnderReview).toEqual({ total: 0, items: [] });
    expect(await counted()).toEqual([0, 0]);
    expect(await hidden()).toEqual([
      [rejected.tool, undefined, { at: change.decidedAt, by: 'admin@souk.test', reason: 'it asks too much', change }],
    ]);

    await leaving.close();
    await untilTotal('failingServers', 1);
    const [{ since, detail, ...failing } = { since: null, detail: null }] = (await needs()).failingServers.items;
    expect(failing).toEqual({ serverId: 'leaves', name: 'Leaves', reason: 'The server cannot be reached' });
    expect(detail).toMatch(/ECONNREFUSED/);
    expect(Date.now() - Date.parse(since ?? '')).toBeLessThan(60_000);
    const { waiting } = await admin.getAdminNeeds();
    expect(waiting).toBe(before.waiting + 1);
  });

  test('a payment that a reconciler had to find is listed for 7 days', async () => {
    const ann = await newSubscriber(shop);
    const { checkoutUrl } = await ann.api.startCheckout({ body: { type: 'credit', planId: 'credits-500' } });
    shop.control.drop(1000);
    await pay(shop, checkoutUrl);
    shop.ahead.ms = 11 * 60_000;
    await shop.billing.payments?.reconcileOrders();
    shop.control.drop(0);
    const { foundPayments } = await needs();
    expect(foundPayments.total).toBe(1);
    expect(foundPayments.items).toMatchObject([{ kind: 'payment', userId: ann.userId, email: ann.email }]);
    shop.ahead.ms += 7 * dayMs;
    await untilTotal('foundPayments', 0);
  });
});
