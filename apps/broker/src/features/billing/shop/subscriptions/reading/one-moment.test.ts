import { payOnPage } from '@souk/stripe-sandbox/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { settle, startShop, type Shop } from '../../checkout/testing/shop.ts';
import { newSubscriber } from '../testing/subscriber.ts';

/** A card that asks for 3-D Secure at each payment. */
const careful = '4000002760003184';

let shop: Shop;
beforeAll(async () => {
  shop = await startShop();
});
afterAll(() => shop?.stop());

/**
 * A subscriber whose upgrade waits for payment, and a read that has fetched the subscription but not yet its invoices.
 */
async function readBeforeThePayment() {
  const ann = await newSubscriber(shop);
  const paymentId = await ann.subscribe('basic', careful);
  const { paymentUrl } = await ann.changePlan('pro');
  await settle(shop);
  const before = await ann.credits();
  shop.control.pause();
  const held = shop.control.hold('GET /v1/invoices', 'before');
  const reading = shop.billing.payments?.subscriptions.sync(paymentId);
  await held.reached;
  await payOnPage(paymentUrl ?? '', careful, {}, { origin: shop.publicUrl });
  held.release();
  await reading;
  return { ann, paymentId, before };
}

test('an upgrade that is paid between the two requests of a read is booked as paid', async () => {
  const { ann, before } = await readBeforeThePayment();
  expect(await ann.plan()).toMatchObject({ mcpId: 'pro', pendingPlanId: null });
  expect(await ann.credits()).toBeGreaterThan(before);
  const { rows } = await shop.db.query(
    `select description from transactions where user_id = $1 and type = 'subscription_update'`,
    [ann.userId],
  );
  expect(rows).toEqual([{ description: 'Change of plan: Pro plan' }]);
  shop.control.resume();
});

test('the nightly comparison reports a plan that was paid and is not given, by its invoice line', async () => {
  const ann = await newSubscriber(shop);
  const paymentId = await ann.subscribe('pro');
  await settle(shop);
  await shop.db.query(`update subscription_invoice_lines set plan_id = 'enterprise' where payment_id = $1`, [
    paymentId,
  ]);
  expect(await shop.billing.payments?.subscriptions.reconcile()).toBeGreaterThan(0);
  const { rows } = await shop.db.query(`select details from audit_log where action = 'subscription.paid-not-given'`);
  expect(rows).toEqual([{ details: { userId: ann.userId, paid: 'enterprise', given: 'pro' } }]);
});
