import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { waitUntil } from '#testing/wait-until.ts';
import { doWhile, newBuyer, pay, startShop, type Shop } from '../checkout/testing/shop.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await startShop();
});
afterEach(() => shop.network.resume());
afterAll(() => shop?.stop());

const path = '/api/webhooks/stripe';
let events = 0;

function eventOf(changes: object = {}): string {
  const object = { id: 'cs_test_nothing', object: 'checkout.session' };
  const event = {
    id: `evt_test_${(events += 1)}`,
    object: 'event',
    type: 'checkout.session.completed',
    livemode: false,
  };
  return JSON.stringify({ ...event, data: { object }, ...changes });
}

function sign(payload: string, timestamp = Math.floor(Date.now() / 1000)): string {
  const secret = shop.stripeSandbox?.access.webhookSecret ?? '';
  return shop.stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp });
}

const post = (body: string, headers: Record<string, string> = {}) =>
  fetch(shop.publicUrl + path, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } });

async function stored(): Promise<number> {
  const { rows } = await shop.db.query<{ n: number }>('select count(*)::int as n from payment_events');
  return rows[0]?.n ?? 0;
}

test.each([
  ['without a signature', () => post(eventOf())],
  [
    'with a forged signature',
    () => post(eventOf(), { 'stripe-signature': `t=${Math.floor(Date.now() / 1000)},v1=${'0'.repeat(64)}` }),
  ],
  [
    'with another secret',
    () => {
      const payload = eventOf();
      return post(payload, {
        'stripe-signature': shop.stripe.webhooks.generateTestHeaderString({ payload, secret: 'whsec_other' }),
      });
    },
  ],
  [
    'altered after it was signed',
    () => post(eventOf({ type: 'invoice.paid' }), { 'stripe-signature': sign(eventOf()) }),
  ],
  [
    'signed 301 s ago',
    () => {
      const payload = eventOf();
      return post(payload, { 'stripe-signature': sign(payload, Math.floor(Date.now() / 1000) - 301) });
    },
  ],
  [
    'of live mode',
    () => {
      const payload = eventOf({ livemode: true });
      return post(payload, { 'stripe-signature': sign(payload) });
    },
  ],
  ...(['id', 'type', 'object'].map((what) => [
    `with NUL in its ${what}`,
    () => {
      const odd = 'a\0b';
      const payload = eventOf(what === 'object' ? { data: { object: { id: odd } } } : { [what]: odd });
      return post(payload, { 'stripe-signature': sign(payload) });
    },
  ]) satisfies [string, () => Promise<Response>][]),
  [
    'that is not an event',
    () => {
      const payload = '{"id":7}';
      return post(payload, { 'stripe-signature': sign(payload) });
    },
  ],
])('a webhook %s is refused with 400, and nothing is stored', async (_name, send) => {
  const before = await stored();
  const answer = await send();
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ success: false, code: 'invalid_request' });
  expect(await stored()).toBe(before);
});

test.each([
  ['about an object without an id', { type: 'invoice.paid', data: { object: { object: 'invoice' } } }],
  ['of a type that has no effect', { type: 'customer.created' }],
])('a signed event %s is accepted, and nothing is stored', async (_name, change) => {
  const before = await stored();
  const payload = eventOf(change);
  expect((await post(payload, { 'stripe-signature': sign(payload) })).status).toBe(200);
  expect(await stored()).toBe(before);
});

test('a body above the limit is not read', async () => {
  const before = await stored();
  const payload = eventOf({ padding: 'x'.repeat(600_000) });
  expect((await post(payload, { 'stripe-signature': sign(payload) })).status).toBe(413);
  expect(await stored()).toBe(before);
});

test('an event that arrives twice is stored once, and its signature is checked for any content type of the body', async () => {
  const payload = eventOf({ id: 'evt_test_twice' });
  const headers = { 'stripe-signature': sign(payload) };
  const answers = await Promise.all([
    post(payload, headers),
    post(payload, { ...headers, 'content-type': 'text/plain' }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  const { rows } = await shop.db.query("select type, object_id from payment_events where id = 'evt_test_twice'");
  expect(rows).toEqual([{ type: 'checkout.session.completed', object_id: 'cs_test_nothing' }]);
});

test('a webhook does not wait for the provider: it is answered while a checkout still waits', async () => {
  const buyer = await newBuyer(shop);
  shop.network.freeze();
  const checkout = () => buyer.api.startCheckout({ body: { type: 'credit', planId: 'credits-500' } }).catch(() => {});
  const { underWay } = await doWhile(checkout, async () => {
    for (let count = 0; count < 3; count++) {
      const payload = eventOf();
      expect((await post(payload, { 'stripe-signature': sign(payload) })).status).toBe(200);
    }
  });
  await shop.network.resume();
  shop.network.cut();
  await underWay;
});

test('an event whose processing fails is kept and retried until it succeeds', async () => {
  const buyer = await newBuyer(shop);
  const { checkoutUrl } = await buyer.api.startCheckout({ body: { type: 'credit', planId: 'credits-500' } });
  await shop.network.stop();
  await pay(shop, checkoutUrl);
  const waiting = async () => {
    const { rows } = await shop.db.query<{ attempts: number; error: string | null }>(
      'select attempts, error from payment_events where next_at is not null',
    );
    return rows;
  };
  await waitUntil('a first try has failed', async () => (await waiting()).some(({ error }) => error !== null));
  expect(await buyer.credits()).toBe(0);
  await shop.network.resume();
  // an attempt may still use a connection that broke with the network
  await waitUntil('each is done', async () => {
    shop.ahead.ms += 3_600_000;
    await shop.billing.payments?.events.idle();
    shop.ahead.ms -= 3_600_000;
    return (await waiting()).length === 0;
  });
  expect(await buyer.credits()).toBe(500);
});

test('a webhook that is refused leaves a line in the log', async () => {
  const payload = eventOf();
  await post(payload, { 'stripe-signature': sign(payload, Math.floor(Date.now() / 1000) - 301) });
  expect(shop.logged()).toMatch(/"door":"webhook".*"code":"The signature is not valid\."/);
});
