import type { SubscriptionAnswer } from '@souk/contract/billing/billing.ts';
import { formatDay } from '#ui/text/amount.ts';
import type { OwnSubscription } from '../plans/plan-action.ts';
import { includedRentals, includes, type OwnRental } from './included-rentals.ts';

type Owned = SubscriptionAnswer['subscription'];

export type Inclusion = {
  plan: OwnSubscription;
  /** The time when the plan stops including it; null: unknown. */
  until: string | null;
};

/** Returns the plan that includes the rental longest. */
export function inclusionOf({ subscriptions }: Owned, { tier }: OwnRental): Inclusion | undefined {
  const all = subscriptions
    .filter(({ status, tier: ofPlan }) => (status === 'active' || status === 'canceled') && includes(ofPlan, tier))
    .map((plan) => ({ plan, until: endOfInclusion(plan, tier) }));
  return all.toSorted((a, b) => timeOf(b.until) - timeOf(a.until))[0];
}

function endOfInclusion(plan: OwnSubscription, tier: OwnRental['tier']): string | null {
  const { status, source, nextTier, currentPeriodEnd } = plan;
  const isLast =
    status === 'canceled' || source === 'administrator' || (nextTier !== null && !includes(nextTier, tier));
  return isLast ? currentPeriodEnd : null;
}

/**
 * Returns whether the next charge of a rental comes after the plan has stopped including it. That may be on the same
 * day: both periods end on one day if they were paid on one day.
 */
export function isChargedAfter(until: string | null, at: string | null): boolean {
  if (until === null || at === null) return false;
  return Date.parse(at) >= Date.parse(until) || formatDay(at) === formatDay(until);
}

const timeOf = (until: string | null) => (until === null ? Number.MAX_SAFE_INTEGER : Date.parse(until));

/** A rental, and the name of a plan that includes it until a time. */
export type RentalInPlan = { rental: OwnRental; plan: string; until: string | null };

/** Returns the rentals that are charged again while a plan that is not canceled includes them. */
export function rentalsPaidTwice(owned: Owned): RentalInPlan[] {
  return withPlan(owned).flatMap(({ rental, plan, until }) =>
    plan.status === 'active' &&
    includedRentals([rental], plan.tier).length > 0 &&
    !isChargedAfter(until, rental.charge?.at ?? rental.endDate)
      ? [{ rental, plan: plan.planName, until }]
      : [],
  );
}

/** Returns the canceled rentals that end with their paid period and that a plan of the user includes. */
export function rentalsEndingInPlan(owned: Owned): RentalInPlan[] {
  return withPlan(owned).flatMap(({ rental, plan, until }) =>
    rental.source === 'payment' && rental.status === 'canceled' ? [{ rental, plan: plan.planName, until }] : [],
  );
}

function withPlan(owned: Owned): (Inclusion & { rental: OwnRental })[] {
  return owned.rentals.flatMap((rental) => {
    const inclusion = inclusionOf(owned, rental);
    return inclusion ? [{ rental, ...inclusion }] : [];
  });
}
