import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitUntil } from '#testing/wait-until.ts';
import { newBuyer, pay, startShop, type Shop } from './testing/shop.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await startShop();
});
afterAll(() => shop?.stop());

test('credits that are paid on the page are there', async () => {
  const buyer = await newBuyer(shop);
  const { packages } = await buyer.api.listCreditPackages();
  const [small] = packages;
  if (!small) throw new Error('no package is sold');
  const { checkoutUrl, sessionId } = await buyer.api.startCheckout({
    body: { type: 'credit', planId: small.packageId },
  });
  expect(checkoutUrl).toBe(`${shop.publicUrl}/dev-stripe/pay/${sessionId}`);
  expect(await buyer.session(sessionId)).toMatchObject({ status: 'open', paymentStatus: 'unpaid' });
  expect(await pay(shop, checkoutUrl)).toBe(`${shop.publicUrl}/payment/result?session_id=${sessionId}`);
  await waitUntil('the webhook has brought the credits', async () => (await buyer.credits()) > 0);
  expect(await buyer.credits()).toBe(small.credits + small.bonus);
  expect(await buyer.session(sessionId)).toMatchObject({ status: 'complete', paymentStatus: 'paid' });
});
