import { afterAll, beforeAll, expect, test } from 'vitest';
import { newBuyer, pay, settle, startShop, type Shop } from '../checkout/testing/shop.ts';
import { newSubscriber } from '../subscriptions/testing/subscriber.ts';
import { isEventMissed } from './missed-events.ts';
import { readWebhookFigures } from './webhook-figures.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
let shop: Shop;
beforeAll(async () => {
  shop = await startShop();
});
afterAll(() => shop?.stop());

/** Returns whether events are missing after this time without one from the provider. */
async function isMissedAfter(ms: number): Promise<boolean> {
  const { lastEventAt = new Date() } = await readWebhookFigures(shop.db.query);
  return isEventMissed(shop.db.query, shop.billing.livemode, lastEventAt, new Date(lastEventAt.getTime() + ms));
}

test('missing events are a fault if something was sold or renewed meanwhile, and not in a quiet shop', async () => {
  const { api } = await newBuyer(shop);
  const buy = async () => {
    const [one] = (await api.listCreditPackages()).packages;
    const { checkoutUrl, sessionId } = await api.startCheckout({
      body: { type: 'credit', planId: one?.packageId ?? '' },
    });
    await pay(shop, checkoutUrl);
    return sessionId;
  };
  await buy();
  await settle(shop);
  expect(await isMissedAfter(10 * dayMs), 'nothing has been sold since').toBe(false);
  shop.control.pause();
  shop.ahead.ms += 3 * hourMs;
  const sessionId = await buy();
  // the page that the user returns to requests it
  await api.getPaymentSession({ params: { sessionId } });
  expect(await isMissedAfter(4 * hourMs), 'it was sold, and no event has arrived').toBe(true);
  shop.control.resume();
  await settle(shop);
  expect(await isMissedAfter(4 * hourMs), 'the event has arrived').toBe(false);

  await (await newSubscriber(shop)).subscribe('basic');
  await settle(shop);
  expect(await isMissedAfter(20 * dayMs), 'the period is still running').toBe(false);
  expect(await isMissedAfter(32 * dayMs), 'it should have been renewed').toBe(true);
});
