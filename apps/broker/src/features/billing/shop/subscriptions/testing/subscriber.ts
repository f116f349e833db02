import { getSubscription } from '@souk/contract/billing/billing.ts';
import {
  cancelRental,
  cancelSubscription,
  changeSubscription,
  getOpenPayment,
  resumeRental,
  resumeSubscription,
  startCheckout,
} from '@souk/contract/billing/payments.ts';
import { createClient } from '@souk/contract/client.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { newBuyer, pay, type Shop } from '../../checkout/testing/shop.ts';

const endpoints = [
  startCheckout,
  getSubscription,
  cancelRental,
  resumeRental,
  cancelSubscription,
  resumeSubscription,
  changeSubscription,
  getOpenPayment,
] as const;

const daySeconds = 86_400;

/** Creates a user who owns nothing yet, with the actions on what they pay for each month. */
export async function newSubscriber(shop: Shop) {
  const buyer = await newBuyer(shop);
  const api = createClient(endpoints, { baseUrl: shop.publicUrl, fetch, token: async () => buyer.accessToken });
  const owned = async () => (await api.getSubscription()).subscription;
  const plan = async () => (await owned()).subscriptions[0];
  const rental = async () => (await owned()).rentals[0];

  /** Pays on the page, and waits until the item is there. Returns the provider's id of the subscription. */
  async function buy(
    what: { type: 'subscription'; planId: string } | { type: 'rental'; mcpId: string; period: 'monthly' },
    card?: string,
    fields?: Record<string, string>,
  ): Promise<string> {
    const { checkoutUrl, sessionId } = await api.startCheckout({ body: what });
    await pay(shop, checkoutUrl, card, fields);
    await waitUntil('the purchase is active', async () => {
      return (what.type === 'rental' ? await rental() : await plan()) !== undefined;
    });
    const { subscription } = await shop.stripe.checkout.sessions.retrieve(sessionId);
    return String(subscription);
  }

  /** Buys a credit package, and waits for its credits. Returns the payment and the charge. */
  async function buyCredits(
    card?: string,
  ): Promise<{ intentId: string; chargeId: string; credits: number; price: number }> {
    const [one] = await shop.billing.offers.packages();
    if (!one) throw new Error('no package is on sale');
    const { checkoutUrl, sessionId } = await api.startCheckout({ body: { type: 'credit', planId: one.packageId } });
    await pay(shop, checkoutUrl, card);
    await waitUntil('the payment is recorded', async () => (await history()).length > 0).catch((error: unknown) => {
      throw new Error(`it was not processed; the log ends with\n${shop.logged().slice(-3_000)}`, { cause: error });
    });
    const { payment_intent: intent } = await shop.stripe.checkout.sessions.retrieve(sessionId);
    const intentId = String(intent);
    const { latest_charge: charge } = await shop.stripe.paymentIntents.retrieve(intentId);
    return { intentId, chargeId: String(charge), credits: one.credits + one.bonus, price: one.price };
  }

  /** Returns this user's rows of the history, the oldest first, as "type status amount". */
  async function history(): Promise<string[]> {
    const { rows } = await shop.db.query<{ type: string; status: string; amount: number }>(
      'select type, status, amount from transactions where user_id = $1 order by created_at, id',
      [buyer.userId],
    );
    return rows.map(({ type, status, amount }) => `${type} ${status} ${amount}`);
  }

  /** Reads what a change of the plan costs, as the dialog does, and confirms exactly that. */
  async function changePlan(planId: string, choices: { endRentals?: string[]; shownRentals?: string[] } = {}) {
    const params = { id: (await plan())?.id ?? '' };
    const { change } = await api.changeSubscription({ params, body: { planId, preview: true } });
    const { amountDue, nextAmount, prorationDate } = change;
    const shown = { amountDue, nextAmount };
    const at = prorationDate === null ? {} : { prorationDate };
    const confirm = () =>
      api.changeSubscription({ params, body: { planId, preview: false, shown, ...at, ...choices } });
    return { shown: change, confirm };
  }

  return {
    ...buyer,
    api,
    /** Shows the price of a change of plan; `confirm` makes the change. */
    lookAtPlan: changePlan,
    changePlan: async (planId: string, choices?: Parameters<typeof changePlan>[1]) =>
      (await changePlan(planId, choices)).confirm(),
    buyCredits,
    history,
    plan,
    rental,
    subscribe: (planId: string, card?: string, fields?: Record<string, string>) =>
      buy({ type: 'subscription', planId }, card, fields),
    rent: (mcpId: string, card?: string, fields?: Record<string, string>) =>
      buy({ type: 'rental', mcpId, period: 'monthly' }, card, fields),
  };
}

export type Subscriber = Awaited<ReturnType<typeof newSubscriber>>;

/** A card that pays now, and fails at the renewal. */
export const failsLater = '4000000000000341';

/** Creates a plan whose first renewal was refused, this many days after it began. */
export async function refusedPlan(
  shop: Shop,
  afterLastRetry: 'cancel' | 'unpaid' | 'past_due' | 'paused',
  days: number,
) {
  await shop.control.setAccount({ afterLastRetry });
  const ann = await newSubscriber(shop);
  const paymentId = await ann.subscribe('basic', failsLater);
  const clock = await giveClock(shop, paymentId);
  let passed = 32;
  await clock.advanceDays(passed);
  await waitUntil('it is past due', async () => (await ann.plan())?.status === 'past_due');
  for (; passed < days; passed += Math.min(30, days - passed)) await clock.advanceDays(Math.min(30, days - passed));
  return { ann, paymentId, clock };
}

/**
 * Gives a customer their own clock at the provider. `advance` resolves when everything that follows has happened there.
 */
export async function giveClock({ stripe, control }: Shop, subscriptionId: string) {
  const { customer } = await stripe.subscriptions.retrieve(subscriptionId);
  const clock = await control.giveClock(String(customer));
  const now = async () => (await stripe.testHelpers.testClocks.retrieve(clock)).frozen_time;
  const advanceTo = (seconds: number) =>
    stripe.testHelpers.testClocks.advance(clock, { frozen_time: Math.round(seconds) });
  return {
    async advanceDays(days: number): Promise<void> {
      await advanceTo((await now()) + days * daySeconds);
    },
    /** Advances to a day after the renewal, in a month of any length. @returns the ms that passed */
    async advancePastRenewal(): Promise<number> {
      const before = await now();
      const { items } = await stripe.subscriptions.retrieve(subscriptionId);
      const after = (items.data[0]?.current_period_end ?? NaN) + daySeconds;
      await advanceTo(after);
      return (after - before) * 1000;
    },
  };
}
