import type { SubscriptionAnswer } from '@souk/contract/billing/billing.ts';
import { tiers, type Tier } from '@souk/contract/tiers.ts';

export type OwnRental = SubscriptionAnswer['subscription']['rentals'][number];

/**
 * Returns whether a plan of this tier includes a server of the other tier. Free servers, and those no longer offered,
 * are in no plan.
 */
export function includes(planTier: Tier, tier: Tier | null): boolean {
  const level = tier === null ? 0 : tiers[tier].level;
  return level > 0 && level <= tiers[planTier].level;
}

/** Returns the rentals that renew and that a plan of this tier includes. The broker applies the same rule. */
export function includedRentals(rentals: readonly OwnRental[], planTier: Tier): OwnRental[] {
  return rentals.filter(
    ({ source, status, tier }) => source === 'payment' && status === 'active' && includes(planTier, tier),
  );
}
