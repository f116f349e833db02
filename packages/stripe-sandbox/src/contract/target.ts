import { Stripe } from 'stripe';
import { describe } from 'vitest';
import { payOnPage } from '../testing/pay-on-page.ts';
import { startTestSandbox } from '../testing/start-test-sandbox.ts';

const returnUrl = 'https://souk.test/payment/result';

/** Target of a contract test: the sandbox, or Stripe's test mode. */
export type Target = {
  stripe: Stripe;
  /** Pays a price once. The sandbox uses its checkout page; Stripe's cannot be automated. */
  payOnce(price: string, customer: string, card: CardNumber): Promise<Stripe.PaymentIntent>;
  subscribe(price: string, customer: string, card: CardNumber): Promise<Stripe.Subscription>;
  stop(): Promise<void>;
};

export type CardNumber = '4242424242424242' | '4000000000000341' | '4000000000000259';

const realKey = process.env['STRIPE_SECRET_KEY'];
const isTestKey = realKey?.startsWith('sk_test_') === true && !realKey.startsWith('sk_test_sandbox_');

/** Runs a block of tests against the sandbox, and against Stripe's test mode if a key is set. */
export function describeOnTargets(name: string, block: (open: () => Promise<Target>) => void): void {
  describe(`${name}: the sandbox`, () => {
    block(openSandbox);
  });
  const withKey = isTestKey ? '' : ': not run without a key (STRIPE_SECRET_KEY=sk_test_…)';
  describe.skipIf(!isTestKey)(`${name}: Stripe's test mode${withKey}`, () => {
    block(() => Promise.resolve(openStripe(realKey ?? '')));
  });
}

async function openSandbox(): Promise<Target> {
  const { stripe, stop } = await startTestSandbox();
  const checkout = async (mode: 'payment' | 'subscription', price: string, customer: string, card: CardNumber) => {
    const session = await stripe.checkout.sessions.create({
      mode,
      customer,
      line_items: [{ price, quantity: 1 }],
      success_url: returnUrl,
    });
    await payOnPage(session.url ?? '', card);
    return stripe.checkout.sessions.retrieve(session.id);
  };
  return {
    stripe,
    stop,
    async payOnce(price, customer, card) {
      const session = await checkout('payment', price, customer, card);
      return stripe.paymentIntents.retrieve(String(session.payment_intent));
    },
    async subscribe(price, customer, card) {
      const session = await checkout('subscription', price, customer, card);
      return stripe.subscriptions.retrieve(String(session.subscription));
    },
  };
}

/** Stripe's names for these cards. */
const paymentMethods: Record<CardNumber, string> = {
  '4242424242424242': 'pm_card_visa',
  '4000000000000341': 'pm_card_chargeCustomerFail',
  '4000000000000259': 'pm_card_createDispute',
};

function openStripe(key: string): Target {
  const stripe = new Stripe(key);
  return {
    stripe,
    stop: () => Promise.resolve(),
    async payOnce(price, customer, card) {
      const { unit_amount: amount, currency } = await stripe.prices.retrieve(price);
      return stripe.paymentIntents.create({
        amount: amount ?? 0,
        currency,
        customer,
        payment_method: paymentMethods[card],
        return_url: returnUrl,
        confirm: true,
      });
    },
    async subscribe(price, customer, card) {
      // 0341 fails on every charge, including the first period, which is therefore paid with another card
      const first = await stripe.paymentMethods.attach('pm_card_visa', { customer });
      const subscription = await stripe.subscriptions.create({
        customer,
        items: [{ price }],
        default_payment_method: first.id,
      });
      if (card === '4242424242424242') return subscription;
      const method = await stripe.paymentMethods.attach(paymentMethods[card], { customer });
      return stripe.subscriptions.update(subscription.id, { default_payment_method: method.id });
    },
  };
}

/** Advances a test clock, and waits until all effects have happened. */
export async function advance(stripe: Stripe, clock: string, to: number): Promise<void> {
  let { status } = await stripe.testHelpers.testClocks.advance(clock, { frozen_time: to });
  while (status === 'advancing') {
    await new Promise((resolve) => setTimeout(resolve, 1_000)); // Stripe does not notify
    ({ status } = await stripe.testHelpers.testClocks.retrieve(clock));
  }
}
