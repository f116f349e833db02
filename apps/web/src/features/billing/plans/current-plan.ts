/** Of the person's profile: 'free' or nothing where they have no plan. */
export type ProfilePlan = { planId: string; planStatus: string };

/**
 * Whether a plan is the person's own (spec part 1, section 2, "Current-plan rule"). A plan whose id contains 'credit' never is;
 * the free plan is where the profile has no plan.
 */
export function isCurrentPlan(planId: string, profile: ProfilePlan | undefined): boolean {
  if (!profile || planId.includes('credit')) return false;
  return planId === (profile.planId || 'free');
}
