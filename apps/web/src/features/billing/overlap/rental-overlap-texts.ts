import type { Plan, UserAccess } from '@souk/contract/billing/billing.ts';
import type { Tier } from '@souk/contract/tiers.ts';
import { formatDay } from '#ui/text/amount.ts';
import { includes } from './included-rentals.ts';
import type { OwnSubscription } from '../plans/plan-action.ts';

export type RentalOverlapParts = {
  service: { name: string; tier: Tier | null };
  access: Pick<UserAccess, 'plan'>;
  subscriptions: readonly OwnSubscription[];
  plans: readonly Plan[];
};

/**
 * Says, before the user pays for a rental, which of their plans includes the service: one that ends, or one that begins
 * soon.
 */
export function rentalOverlapTexts({
  service: { name, tier },
  access,
  subscriptions,
  plans,
}: RentalOverlapParts): string[] {
  const { plan } = access;
  const ending =
    plan && plan.includedUntil !== null
      ? [
          `Your ${plan.name} plan includes ${name} until ${formatDay(plan.includedUntil)}. The rental starts as soon as you pay, so you pay twice until then.`,
        ]
      : [];
  const nameOf = (planId: string) => plans.find((one) => one.planId === planId)?.name ?? planId;
  const coming = subscriptions.flatMap(
    ({ status, pendingPlanId, nextPlanId, nextTier, currentPeriodEnd, tier: now }) => {
      if (status !== 'active' || includes(now, tier)) return [];
      const pending = plans.find(({ planId }) => planId === pendingPlanId);
      if (pending && includes(pending.tier, tier))
        return [
          `Your upgrade to ${pending.name} is awaiting payment, and ${pending.name} includes ${name}. With both, you pay twice.`,
        ];
      if (nextPlanId === null || nextTier === null || !includes(nextTier, tier)) return [];
      const from = currentPeriodEnd === null ? '' : ` from ${formatDay(currentPeriodEnd)}`;
      return [`You chose ${nameOf(nextPlanId)}${from}, which includes ${name}. With both, you pay twice.`];
    },
  );
  return [...ending, ...coming];
}
