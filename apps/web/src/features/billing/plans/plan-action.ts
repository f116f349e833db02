import type { Plan, SubscriptionAnswer } from '@souk/contract/billing.ts';
import { tiers } from '@souk/contract/tiers.ts';
import { isCurrentPlan, type ProfilePlan } from './current-plan.ts';

export type OwnSubscription = SubscriptionAnswer['subscription']['subscriptions'][number];

/** Whom the plans are shown to. Undefined: a visitor. */
export type Shopper = { userId: string; plan: ProfilePlan | undefined } | undefined;

/**
 * What the button of a plan does. manage: to the Billing tab, where a paid plan is cancelled, resumed and paid. next: nothing,
 * it begins with the next period. keep-first: nothing until the person keeps the plan that they chose to leave.
 */
export type PlanAction =
  | 'sign-in'
  | 'current'
  | 'subscribe'
  | 'upgrade'
  | 'downgrade'
  | 'manage'
  | 'next'
  | 'keep-first';

/**
 * @param paid the person's own subscription, where it is paid; a plan that an administrator gave cannot be changed
 * @param plans all of them, for the level of the one that is paid
 */
export function planAction(
  plan: Plan,
  shopper: Shopper,
  paid: OwnSubscription | undefined,
  plans: readonly Plan[],
): PlanAction {
  if (!shopper) return 'sign-in';
  if (isCurrentPlan(plan.planId, shopper.plan)) return 'current';
  if (plan.amount === 0) return 'manage';
  const own = plans.find(({ planId }) => planId === paid?.mcpId);
  // what was not paid is replaced by a new purchase
  if (!own || !paid || paid.status === 'unpaid') return 'subscribe';
  if (paid.status !== 'active') return 'manage';
  if (plan.planId === paid.nextPlanId) return 'next';
  if (tiers[plan.tier].level < tiers[own.tier].level) return 'downgrade';
  return paid.nextPlanId === null ? 'upgrade' : 'keep-first';
}
