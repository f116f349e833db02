import type { ControlPlane } from '@souk/stripe-sandbox/testing';
import type { App } from '../apps/broker/src/app-types.ts';
import type { connectStripe } from '../apps/broker/src/testing/people/open-checkout.ts';
import { waitUntil } from '../apps/broker/src/testing/wait-until.ts';

const daySeconds = 86_400;

/**
 * Returns a function that moves the time of every customer of the stand-in for Stripe, with a clock that each gets at the first
 * call. It resolves once everything that follows from the days has happened there.
 */
export function createPassDays(given: {
  app: Pick<App, 'billing'>;
  stripe: ReturnType<typeof connectStripe>;
  control: ControlPlane;
}) {
  const { app, stripe, control } = given;
  const clocks = new Map<string, string>();

  /** Waits until the product knows everything that happened before, such as the choice of another card. */
  async function allEventsHandled(): Promise<void> {
    await waitUntil('all events have arrived', async () => {
      const { data } = await stripe.events.list({ delivery_success: false, limit: 1 });
      return data.length === 0;
    });
    await app.billing.payments?.events.idle();
  }

  return async function passDays(days: number): Promise<void> {
    await allEventsHandled();
    for (const { id } of (await stripe.customers.list({ limit: 100 })).data) {
      const clock = clocks.get(id) ?? (await control.giveClock(id));
      clocks.set(id, clock);
      const { frozen_time: now } = await stripe.testHelpers.testClocks.retrieve(clock);
      await stripe.testHelpers.testClocks.advance(clock, { frozen_time: now + days * daySeconds });
    }
  };
}
