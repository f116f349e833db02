import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { limitElapsed } from '#testing/figures/limits.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { newSubscriber, type Subscriber } from '../subscriptions/testing/subscriber.ts';
import { patience } from './patience.ts';
import { doWhile, newBuyer, startShop, type Shop } from './testing/shop.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await startShop();
});
const { timeout } = patience;
afterEach(() => {
  shop.control.delay(0);
  patience.timeout = timeout;
});
afterAll(() => shop?.stop());

const credits = { type: 'credit', planId: 'credits-500' } as const;
const unavailable = {
  status: 503,
  code: 'payments_unavailable',
  message: expect.stringContaining('Nothing was charged'),
};

async function orders({ userId }: { userId: string }) {
  const { rows } = await shop.db.query<{ session_id: string }>(
    'select session_id from checkout_orders where user_id = $1',
    [userId],
  );
  return rows;
}

test('a slow provider is waited for', async () => {
  const buyer = await newBuyer(shop);
  shop.control.delay(400);
  expect(await buyer.api.startCheckout({ body: credits })).toMatchObject({ success: true });
});

test('if the provider hangs, checkout reports it on its own, webhooks and all other work continue, and a retry continues the order', async () => {
  const [buyer, other] = [await newBuyer(shop), await newBuyer(shop)];
  const { sessionId } = await buyer.api.startCheckout({ body: { type: 'credit', planId: 'credits-2000' } });
  shop.control.delay(Number.POSITIVE_INFINITY);
  const payload = JSON.stringify({
    id: 'evt_while_it_hangs',
    object: 'event',
    type: 'checkout.session.completed',
    livemode: false,
    data: { object: { id: sessionId } },
  });
  const secret = shop.stripeSandbox?.access.webhookSecret ?? '';
  const headers = { 'stripe-signature': shop.stripe.webhooks.generateTestHeaderString({ payload, secret }) };
  const allElse = async () => {
    const told = await fetch(`${shop.publicUrl}/api/webhooks/stripe`, { method: 'POST', body: payload, headers });
    expect(told.status).toBe(200);
    await other.api.getSubscription();
    await other.api.listPlans();
    expect((await fetch(`${shop.publicUrl}/readyz`)).status).toBe(200);
  };
  const asked = () =>
    Promise.all([
      expect(buyer.api.startCheckout({ body: credits })).rejects.toMatchObject(unavailable),
      // the user may have paid meanwhile: no text may say that nothing was charged
      expect(buyer.session(sessionId)).rejects.toMatchObject({
        ...unavailable,
        message: expect.stringContaining('If you paid, your payment counts'),
      }),
    ]);
  // each waits for its 8 s, and not for the 12 s that all answers together may take
  await limitElapsed(11_900, async () => (await doWhile(asked, allElse)).underWay, { scales: 'none' });
  shop.control.delay(0);
  const begun = await buyer.api.startCheckout({ body: credits });
  expect(await buyer.api.startCheckout({ body: credits })).toEqual(begun);
  expect((await orders(buyer)).map((order) => order.session_id).toSorted()).toEqual(
    [sessionId, begun.sessionId].toSorted(),
  );
  const { data } = await shop.stripe.checkout.sessions.list({ limit: 100 });
  const own = data.filter(({ metadata }) => metadata?.['userId'] === buyer.userId);
  expect(own.map(({ id }) => id).toSorted()).toEqual([sessionId, begun.sessionId].toSorted());
});

test('if many answers are slow, a user waits 12 s for all of them together, and the work continues', async () => {
  const buyer = await newBuyer(shop);
  const { sessionId } = await buyer.api.startCheckout({ body: credits });
  // the page is read, closed, and another one opened
  await shop.db.query(`update checkout_orders set price_id = 'price_old' where session_id = $1`, [sessionId]);
  const [ann, bob, dan] = [await newSubscriber(shop), await newSubscriber(shop), await newSubscriber(shop)];
  const params = new Map<Subscriber, { id: string }>();
  for (const person of [ann, bob, dan]) {
    await person.subscribe('basic');
    params.set(person, { id: (await person.plan())?.id ?? '' });
  }
  const of = (person: Subscriber) => ({ params: params.get(person) ?? { id: '' } });
  await dan.api.cancelSubscription(of(dan));
  const preview = { planId: 'pro', preview: true };
  const { confirm } = await bob.lookAtPlan('pro');
  const late = { ...unavailable, message: expect.stringContaining('your change may still go through') };
  shop.control.delay(6_500);
  // no single answer times out: only the 12 s end the wait, and all answers together take longer
  patience.timeout = 600_000;
  const asked = () =>
    Promise.all([
      expect(buyer.api.startCheckout({ body: credits })).rejects.toMatchObject(unavailable),
      expect(bob.api.changeSubscription({ ...of(bob), body: preview })).rejects.toMatchObject(unavailable),
      expect(confirm()).rejects.toMatchObject(late),
      expect(ann.api.cancelSubscription(of(ann))).rejects.toMatchObject(late),
      expect(dan.api.resumeSubscription(of(dan))).rejects.toMatchObject(late),
    ]);
  await limitElapsed(19_000, asked, { scales: 'none' });
  shop.control.delay(0);
  await waitUntil('the changes to be made', async () => {
    const [ended, changed, resumed] = [await ann.plan(), await bob.plan(), await dan.plan()];
    return ended?.status === 'canceled' && changed?.mcpId === 'pro' && resumed?.status === 'active';
  });
});
