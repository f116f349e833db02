import { badRequest } from '../api/stripe-error.ts';
import type { TestClock } from '../objects/types.ts';
import type { Work } from '../work.ts';
import { periodEnd } from './billing-period.ts';

const yearSeconds = 366 * 86_400;

/**
 * Allows a clock to advance by at most two intervals of its shortest subscription.
 * @throws StripeError
 */
export async function checkAdvance(work: Work, clock: TestClock, to: number): Promise<void> {
  const param = 'frozen_time';
  if (to <= clock.frozen_time) {
    throw badRequest('The test clock can only be advanced to a time after its current frozen time.', { param });
  }
  const subscriptions = await work.find('subscription', {
    body: { test_clock: clock.id },
    oneOf: { field: 'status', values: ['active', 'past_due'] },
    limit: 100,
  });
  const ends = subscriptions.flatMap(({ body }) =>
    body.items.data.flatMap(({ price }) => {
      if (!price.recurring) return [];
      const next = periodEnd(clock.frozen_time, clock.frozen_time, price.recurring);
      return periodEnd(next, clock.frozen_time, price.recurring);
    }),
  );
  if (to <= Math.min(clock.frozen_time + 2 * yearSeconds, ...ends)) return;
  throw badRequest(
    'You can only advance a test clock up to two intervals of its shortest subscription at a time. Advance it in smaller steps.',
    { param },
  );
}
