import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectProvider, type PaymentProvider } from '#adapters/stripe/stripe-client.ts';
import { startShop, type Shop } from '#features/billing/shop/checkout/testing/shop.ts';
import { examinePayments } from './payment-checks.ts';

let app: Shop;
let provider: PaymentProvider;
beforeAll(async () => {
  app = await startShop();
  if (!app.stripeSandbox) throw new Error('the stand-in is not running');
  const { access } = app.stripeSandbox;
  provider = connectProvider(access, () => Promise.reject(new Error('not requested')));
});
afterAll(async () => {
  provider?.stop();
  await app?.stop();
});

const findings = async ({ publicUrl = app.publicUrl, paymentMethods = ['card'] } = {}) =>
  Object.fromEntries(
    (await examinePayments(provider, { publicUrl, paymentMethods })).map(({ id, status, detail }) => [
      id,
      { status, detail },
    ]),
  );

test('the doctor reads the settings of the account at the payment provider, and says what to check by hand', async () => {
  expect(await findings()).toEqual({
    'payments-account': { status: 'passed', detail: 'The account acct_sandbox may charge, in test mode.' },
    'payments-webhook': {
      status: 'passed',
      detail: expect.stringContaining(`${app.publicUrl}/api/webhooks/stripe receives all`),
    },
    'payments-methods': { status: 'passed', detail: 'The account accepts card.' },
    'payments-cards': {
      status: 'passed',
      detail: 'The account never saves cards, but Souk makes each subscription save its card.',
    },
    'payments-by-hand': { status: 'warned', detail: 'Check them by hand.' },
  });
  const of = { publicUrl: app.publicUrl, paymentMethods: ['card'] };
  const hand = (await examinePayments(provider, of)).at(-1);
  expect(hand?.advice).toContain('after the last retry of a failed renewal, subscriptions are canceled');
});

test('an endpoint that is missing, or gets too few events, is a fault with what to do', async () => {
  expect((await findings({ publicUrl: 'https://souk.example' }))['payments-webhook']).toEqual({
    status: 'failed',
    detail: 'No endpoint with the address https://souk.example/api/webhooks/stripe is enabled.',
  });
  await app.stripe.webhookEndpoints.create({
    url: 'https://souk.example/api/webhooks/stripe',
    enabled_events: ['invoice.paid'],
  });
  expect((await findings({ publicUrl: 'https://souk.example' }))['payments-webhook']).toMatchObject({
    status: 'failed',
    detail: expect.stringMatching(/does not receive: checkout\.session\.completed, .*charge\.dispute\.closed\.$/),
  });
});

test('a payment method that the account does not accept is a fault', async () => {
  const paymentMethods = ['card', 'sepa_debit', 'bacs_debit'];
  const ofMethods = async () => (await findings({ paymentMethods }))['payments-methods'];
  expect(await ofMethods()).toEqual({ status: 'failed', detail: 'The account does not accept bacs_debit.' });
  // switched off, and not only unknown
  await app.control.setAccount({ paymentMethods: ['card'] });
  expect(await ofMethods()).toEqual({
    status: 'failed',
    detail: 'The account does not accept sepa_debit, bacs_debit.',
  });
});

test('if tax and codes are switched on, the doctor says what the account lacks for them', async () => {
  const checkout = { tax: true, codes: true };
  const found = async () =>
    (await examinePayments(provider, { publicUrl: app.publicUrl, paymentMethods: ['card'], checkout }))
      .filter(({ id }) => ['payments-tax', 'payments-codes'].includes(id))
      .map(({ status, detail }) => `${status}: ${detail}`);
  expect(await found()).toEqual([
    expect.stringMatching(/^passed: Tax is collected for AT, .*, SE\.$/),
    'warned: PROMOTION_CODES=1, but the account has no active promotion code.',
  ]);
  const { id: coupon } = await app.stripe.coupons.create({ percent_off: 10 });
  await app.stripe.promotionCodes.create({ code: 'TEN', promotion: { type: 'coupon', coupon } });
  await app.control.setAccount({ tax: 'pending' });
  expect(await found()).toEqual([
    'failed: STRIPE_TAX=1, but Stripe Tax is not set up: head_office is missing.',
    'passed: The account has active promotion codes.',
  ]);
  await app.control.setAccount({ tax: 'unregistered' });
  expect((await found())[0]).toBe('warned: Stripe Tax is set up without a registration: it collects no tax anywhere.');
});

test('a refused key is a fault, and the other keys are tried anyway', async () => {
  const { access } = app.stripeSandbox ?? {};
  if (!access) throw new Error('the stand-in is not running');
  const other = connectProvider({ ...access, secretKey: 'sk_test_sandbox_other' }, () => Promise.reject(new Error()));
  const results = await examinePayments(other, { publicUrl: app.publicUrl, paymentMethods: ['card'] });
  expect(results.map(({ status }) => status)).toEqual(['failed', 'failed', 'failed', 'failed', 'warned']);
  expect(results[0]?.detail).toContain('Invalid API Key');
  other.stop();
});
