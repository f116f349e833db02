import type { SubscriptionAnswer } from '@souk/contract/billing/billing.ts';
import { tiers, type Tier } from '@souk/contract/tiers.ts';

export type OwnRental = SubscriptionAnswer['subscription']['rentals'][number];

/** Whether a plan of this tier includes a server of the other. What is free for all, or no longer offered, is in no plan. */
export function includes(planTier: Tier, tier: Tier | null): boolean {
  const level = tier === null ? 0 : tiers[tier].level;
  return level > 0 && level <= tiers[planTier].level;
}

/** The rentals that the person goes on paying for, and that a plan of this tier includes. The broker decides the same. */
export function includedRentals(rentals: readonly OwnRental[], planTier: Tier): OwnRental[] {
  return rentals.filter(
    ({ source, status, tier }) => source === 'payment' && status === 'active' && includes(planTier, tier),
  );
}
