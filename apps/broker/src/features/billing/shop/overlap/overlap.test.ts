import { getRentalOptions } from '@souk/contract/billing/billing.ts';
import { createClient } from '@souk/contract/client.ts';
import { utcDayText } from '@souk/contract/utc-day.ts';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { describeOnEmbedded } from '#testing/databases/databases.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { pay, startShop, type Shop } from '../checkout/testing/shop.ts';
import { newSubscriber, type Subscriber } from '../subscriptions/testing/subscriber.ts';
import { migrations } from '../../../../migrations.ts';

describeOnEmbedded('a plan that includes what a user rents', migrations, (open) => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await startShop({ db: await open() });
    const connection = { type: 'http', url: 'https://nowhere.souk.test/mcp' };
    const rental = { price: 900 };
    await deployManifest(shop, { id: 'small', connection, billing: { tier: 'T1', rental } }, 'unasked');
    await deployManifest(shop, { id: 'top', connection, billing: { tier: 'T3', rental } }, 'unasked');
  });
  afterEach(() => void (shop.ahead.ms = 0));
  afterAll(() => shop?.stop());

  const rentals = async (person: Subscriber) => {
    const { rentals: all } = (await person.api.getSubscription()).subscription;
    return Object.fromEntries(all.map(({ mcpId, status }) => [mcpId, status]));
  };
  const subscribe = async (person: Subscriber, planId: string, endRentals: string[]) =>
    person.api.startCheckout({ body: { type: 'subscription', planId, endRentals } });
  const hasPlan = (person: Subscriber, planId: string) =>
    waitUntil(`it is ${planId}`, async () => (await person.plan())?.mcpId === planId);

  async function accessTo(person: Subscriber, mcpId: string) {
    const given = { baseUrl: shop.publicUrl, fetch, token: async () => person.accessToken };
    return (await createClient([getRentalOptions] as const, given).getRentalOptions({ params: { mcpId } })).access;
  }

  test('only the named rentals end with their period once the plan is paid', async () => {
    const ann = await newSubscriber(shop);
    for (const id of ['small', 'top']) await ann.rent(id);
    await waitUntil('both are rented', async () => Object.keys(await rentals(ann)).length === 2);
    const first = await subscribe(ann, 'basic', ['small']);
    expect(await rentals(ann), 'nothing is paid yet').toEqual({ small: 'active', top: 'active' });
    const chosen = async () =>
      (await ann.api.getSubscription()).subscription.rentals.flatMap(({ mcpId, endsWithPlanId }) =>
        endsWithPlanId === undefined ? [] : [{ mcpId, endsWithPlanId }],
      );
    expect(await chosen()).toEqual([{ mcpId: 'small', endsWithPlanId: 'basic' }]);
    await pay(shop, first.checkoutUrl);
    await waitUntil('the rental ends', async () => (await rentals(ann))['small'] === 'canceled');
    expect(await rentals(ann)).toEqual({ small: 'canceled', top: 'active' });
    expect(await chosen(), 'the plan is paid').toEqual([]);
    const owned = await ann.plan();
    const access = await accessTo(ann, 'small');
    expect(access).toMatchObject({ hasAccess: true, accessType: 'rental', isCancelled: true });
    expect(access.plan).toMatchObject({ planId: 'basic', name: 'Basic' });
    expect((await accessTo(ann, 'top')).plan, 'Basic does not include it').toBeNull();
    const id = owned?.id ?? '';
    const { rows } = await shop.db.query<{ started_at: Date }>('select started_at from subscriptions where id = $1', [
      id,
    ]);
    expect(access.plan?.since).toBe(rows[0]?.started_at.toISOString());
    // an upgrade: the plan begins again, and ends the other rental as well
    shop.ahead.ms = 60_000;
    await ann.changePlan('enterprise', { endRentals: ['top'] });
    await waitUntil('the other ends', async () => (await rentals(ann))['top'] === 'canceled');
    const { plan } = await accessTo(ann, 'top');
    expect(plan).toMatchObject({ planId: 'enterprise', name: 'Enterprise' });
    expect(Date.parse(plan?.since ?? '')).toBeGreaterThanOrEqual(Date.parse(access.plan?.since ?? '') + 59_000);
    expect(plan?.includedUntil, 'it renews').toBeNull();
    // a lower plan that does not include it is scheduled
    await ann.changePlan('basic');
    const { nextTier, currentPeriodEnd } = (await ann.plan()) ?? {};
    expect(nextTier).toBe('T1');
    const until = async (server: string) => (await accessTo(ann, server)).plan?.includedUntil;
    expect(await until('top')).toBe(currentPeriodEnd);
    expect(await until('small'), 'Basic includes it').toBeNull();
    await ann.api.cancelSubscription({ params: { id } });
    expect(await until('small'), 'the plan ends').toBe(currentPeriodEnd);
  });

  test('a checkout that did not name a rental which the plan includes starts no plan, nor does such an upgrade', async () => {
    const ann = await newSubscriber(shop);
    await ann.rent('small');
    await waitUntil('it is rented', async () => Object.keys(await rentals(ann)).length === 1);
    const begin = (shownRentals: string[]) =>
      ann.api.startCheckout({ body: { type: 'subscription', planId: 'basic', endRentals: [], shownRentals } });
    const refusal = (rented: string, plan: string) => ({
      status: 409,
      code: 'overlap_changed',
      message: `You now rent ${rented}, which ${plan} includes. Please check your choices before you pay.`,
    });
    await expect(begin([])).rejects.toMatchObject(refusal('small', 'Basic'));
    await pay(shop, (await begin(['small'])).checkoutUrl);
    await hasPlan(ann, 'basic');
    await ann.rent('top');
    await waitUntil('the other is rented', async () => 'top' in (await rentals(ann)));
    const upgrade = async (shownRentals: string[]) => ann.changePlan('enterprise', { shownRentals });
    await expect(upgrade(['small'])).rejects.toMatchObject(refusal('top', 'Enterprise'));
    expect(await ann.plan()).toMatchObject({ mcpId: 'basic' });
    await upgrade(['small', 'top']);
    await hasPlan(ann, 'enterprise');
  });

  test('the page of a plan is closed when the user gets a rental that the plan includes and the page did not mention', async () => {
    const ann = await newSubscriber(shop);
    const begin = (shownRentals?: string[]) =>
      ann.api.startCheckout({ body: { type: 'subscription', planId: 'basic', endRentals: [], shownRentals } });
    const statusAt = async (sessionId: string) => (await shop.stripe.checkout.sessions.retrieve(sessionId)).status;
    const told = await begin(['small']);
    await ann.rent('top');
    await ann.rent('small');
    await waitUntil('both are rented', async () => Object.keys(await rentals(ann)).length === 2);
    await shop.billing.payments?.reconcileOrders();
    expect(await statusAt(told.sessionId), 'Basic does not include the one, and the other was named').toBe('open');
    await ann.api.cancelRental({ params: { mcpId: 'small' } });
    const { sessionId } = await begin([]);
    expect(sessionId, 'the same page, which mentions fewer rentals this time').toBe(told.sessionId);
    await shop.billing.payments?.reconcileOrders();
    expect(await statusAt(sessionId), 'what has ended is not paid twice').toBe('open');
    await ann.api.resumeRental({ params: { mcpId: 'small' } });
    await waitUntil('the page is closed', async () => (await statusAt(sessionId)) === 'expired');
    expect(await ann.session(sessionId)).toMatchObject({
      paymentStatus: 'unpaid',
      reason: 'overlap_changed',
      planId: 'basic',
    });
    await expect(begin([])).rejects.toMatchObject({ status: 409, code: 'overlap_changed' });
    await pay(shop, (await begin(['small'])).checkoutUrl);
    await hasPlan(ann, 'basic');
    expect(await rentals(ann)).toEqual({ small: 'active', top: 'active' });
  });

  test('a rental that a plan also includes is canceled without a loss, and the answer says so', async () => {
    const ann = await newSubscriber(shop);
    await ann.rent('small');
    await pay(shop, (await subscribe(ann, 'basic', [])).checkoutUrl);
    await hasPlan(ann, 'basic');
    const { name, endDate } = (await ann.rental()) ?? {};
    const { message } = await ann.api.cancelRental({ params: { mcpId: 'small' } });
    expect(message).toBe(
      `The rental of ${name} is canceled. Your Basic plan includes ${name}: you lose nothing. ` +
        `The rental ends on ${utcDayText(endDate ?? '')}, and you can resume it until then.`,
    );
  });

  test.each(['there, and the page marked', 'about to be there'] as const)(
    'a payment that is faster than the closing of such a page is refunded, if the rental is %s',
    async (how) => {
      const ann = await newSubscriber(shop);
      const begin = (body: Parameters<Subscriber['api']['startCheckout']>[0]['body']) =>
        ann.api.startCheckout({ body });
      const rental = await begin({ type: 'rental', mcpId: 'small', period: 'monthly' });
      const page = await begin({ type: 'subscription', planId: 'basic', shownRentals: [] });
      if (how !== 'about to be there') {
        shop.control.failNext(`/v1/checkout/sessions/${page.sessionId}/expire`, 'before', 3);
        await ann.rent('small');
        await waitUntil('it is marked', async () => {
          const { rows } = await shop.db.query(
            `select from checkout_orders where session_id = $1 and status = 'open' and reason is not null`,
            [page.sessionId],
          );
          return rows.length === 1;
        });
      } else {
        await shop.db.query(`update checkout_orders set status = 'paid' where session_id = $1`, [rental.sessionId]);
      }
      await pay(shop, page.checkoutUrl);
      await waitUntil('it is refunded', async () => {
        const { paymentStatus, reason } = await ann.session(page.sessionId);
        return paymentStatus === 'refunded' && reason === 'overlap_changed';
      });
      expect((await ann.api.getSubscription()).subscription).toMatchObject({
        subscriptions: [],
        rentals: how === 'about to be there' ? [] : [{ mcpId: 'small', status: 'active' }],
      });
      expect(await ann.history()).toContain('refund completed 500');
    },
  );

  test('a rental that is not named continues, also if an earlier unpaid checkout named it', async () => {
    const ann = await newSubscriber(shop);
    await ann.rent('small');
    await subscribe(ann, 'basic', ['small']);
    const second = await subscribe(ann, 'basic', []);
    await pay(shop, second.checkoutUrl);
    await hasPlan(ann, 'basic');
    await shop.billing.payments?.events.idle();
    await shop.billing.payments?.subscriptions.endWanted();
    expect(await rentals(ann)).toEqual({ small: 'active' });
  });

  test("a rental that the plan does not include is refused, and another user's rental continues", async () => {
    const [ann, bob] = [await newSubscriber(shop), await newSubscriber(shop)];
    await ann.rent('top');
    await expect(subscribe(ann, 'basic', ['top'])).rejects.toMatchObject({
      status: 400,
      code: 'invalid_request',
      message: 'endRentals: the Basic plan does not include top',
    });
    const theirs = await subscribe(bob, 'enterprise', ['top']);
    await pay(shop, theirs.checkoutUrl);
    await hasPlan(bob, 'enterprise');
    await shop.billing.payments?.events.idle();
    expect(await rentals(ann)).toEqual({ top: 'active' });
  });

  test('a provider that does not respond at that moment is notified later', async () => {
    const ann = await newSubscriber(shop);
    await ann.rent('small');
    const { checkoutUrl } = await subscribe(ann, 'basic', ['small']);
    const { rows } = await shop.db.query<{ payment_id: string }>(
      `select payment_id from access_grants where user_id = $1`,
      [ann.userId],
    );
    const paymentId = rows[0]?.payment_id ?? '';
    const rental = `/v1/subscriptions/${paymentId}`;
    shop.control.failNext(rental, 'before', Infinity);
    await pay(shop, checkoutUrl);
    await hasPlan(ann, 'basic');
    await shop.billing.payments?.events.idle();
    expect(await rentals(ann)).toEqual({ small: 'active' });
    shop.control.failNext(rental, 'before', 0);
    await waitUntil('the job has notified the provider', async () => (await rentals(ann))['small'] === 'canceled');
  });
});
