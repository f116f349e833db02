import type { Plan, SubscriptionAnswer } from '@souk/contract/billing/billing.ts';
import { tiers } from '@souk/contract/tiers.ts';

/** Of the user's profile: 'free' or nothing if they have no plan. */
export type ProfilePlan = { planId: string; planStatus: string };

export type OwnSubscription = SubscriptionAnswer['subscription']['subscriptions'][number];

/** Whom the plans are shown to. Undefined: a visitor. */
export type Shopper = { userId: string; plan: ProfilePlan | undefined } | undefined;

/**
 * What the button of a plan does. manage: to the Billing tab, where a paid plan is cancelled, resumed and paid. next: nothing,
 * it begins with the next period. pay-first: it begins once it is paid, at the payment provider. keep-first: nothing until the person keeps the plan that they chose to leave. resume-first: nothing until
 * they take back the end of their plan, or it has come.
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

/**
 * @param paid the person's own subscription, where it is paid; a plan that an administrator gave cannot be changed
 */
export function planAction(plan: Plan, shopper: Shopper, paid: OwnSubscription | undefined): PlanAction {
  if (!shopper) return 'sign-in';
  if (isCurrentPlan(plan.planId, shopper.plan)) return 'current';
  // people without a plan are on the free one
  if (plan.amount === 0) return paid?.status === 'canceled' ? 'next' : 'manage';
  // what was not paid is replaced by a new purchase
  if (!paid || paid.status === 'unpaid') return 'subscribe';
  if (paid.status === 'canceled') return 'resume-first';
  if (paid.status !== 'active') return 'manage';
  if (plan.planId === paid.nextPlanId) return 'next';
  if (plan.planId === paid.pendingPlanId) return 'pay-first';
  if (tiers[plan.tier].level < tiers[paid.tier].level) return 'downgrade';
  return paid.nextPlanId === null ? 'upgrade' : 'keep-first';
}

/**
 * Whether a plan is the person's own (spec part 1, section 2, "Current-plan rule"). A plan whose id contains 'credit' never is;
 * the free plan is where the profile has no plan.
 */
function isCurrentPlan(planId: string, profile: ProfilePlan | undefined): boolean {
  if (!profile || planId.includes('credit')) return false;
  return planId === (profile.planId || 'free');
}
