import type { Plan, SubscriptionAnswer } from '@souk/contract/billing/billing.ts';
import { tiers } from '@souk/contract/tiers.ts';

/** The plan in the user's profile; its id is 'free' or empty if they have none. */
export type ProfilePlan = { planId: string; planStatus: string };

export type OwnSubscription = SubscriptionAnswer['subscription']['subscriptions'][number];

export type Shopper = { userId: string; plan: ProfilePlan | undefined } | undefined;

/**
 * The action of a plan's button.
 * - manage: leads to Billing, where a paid plan is canceled, resumed and paid.
 * - next (disabled): the plan begins with the next period.
 * - pay-first (disabled): the plan begins once the user has paid the provider.
 * - keep-first (disabled): the user must first keep the plan that they chose to leave.
 * - resume-first (disabled): the user must first resume their plan, or wait until it has ended.
 */
export type PlanAction =
  | 'sign-in'
  | 'current'
  | 'subscribe'
  | 'upgrade'
  | 'downgrade'
  | 'manage'
  | 'next'
  | 'pay-first'
  | 'keep-first'
  | 'resume-first';

/** @param paid the user's paid subscription; a plan that an administrator gave them cannot be changed */
export function planAction(plan: Plan, shopper: Shopper, paid: OwnSubscription | undefined): PlanAction {
  if (!shopper) return 'sign-in';
  if (isCurrentPlan(plan.planId, shopper.plan)) return 'current';
  // users without a plan are on the free one
  if (plan.amount === 0) return paid?.status === 'canceled' ? 'next' : 'manage';
  // a new purchase replaces an unpaid plan
  if (!paid || paid.status === 'unpaid') return 'subscribe';
  if (paid.status === 'canceled') return 'resume-first';
  if (paid.status !== 'active') return 'manage';
  if (plan.planId === paid.nextPlanId) return 'next';
  if (plan.planId === paid.pendingPlanId) return 'pay-first';
  if (tiers[plan.tier].level < tiers[paid.tier].level) return 'downgrade';
  return paid.nextPlanId === null ? 'upgrade' : 'keep-first';
}

/**
 * Returns whether a plan is the user's own (spec part 1, section 2, "Current-plan rule"). A plan whose id contains
 * 'credit' never is; a profile without a plan has the free one.
 */
function isCurrentPlan(planId: string, profile: ProfilePlan | undefined): boolean {
  if (!profile || planId.includes('credit')) return false;
  return planId === (profile.planId || 'free');
}
