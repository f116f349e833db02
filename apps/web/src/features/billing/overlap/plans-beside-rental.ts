import type { Plan, UserAccess } from '@souk/contract/billing/billing.ts';
import type { Tier } from '@souk/contract/tiers.ts';
import { formatDay } from '#ui/text/amount.ts';
import { includes } from './included-rentals.ts';
import type { OwnSubscription } from '../plans/plan-action.ts';

export type BesideRental = {
  service: { name: string; tier: Tier | null };
  access: Pick<UserAccess, 'plan'>;
  subscriptions: readonly OwnSubscription[];
  plans: readonly Plan[];
};

/**
 * Says, before a rental is paid, which of the user's plans include the service: one that ends, or one that begins soon.
 */
export function plansBesideRental({ service: { name, tier }, access, subscriptions, plans }: BesideRental): string[] {
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
          `Your upgrade to ${pending.name} waits for your payment, and ${pending.name} includes ${name}. With both, you pay twice.`,
        ];
      if (nextPlanId === null || nextTier === null || !includes(nextTier, tier)) return [];
      const from = currentPeriodEnd === null ? '' : ` from ${formatDay(currentPeriodEnd)}`;
      return [`You chose ${nameOf(nextPlanId)}${from}, which includes ${name}. With both, you pay twice.`];
    },
  );
  return [...ending, ...coming];
}
