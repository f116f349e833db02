/**
 * The tabs of the dashboard, in order: the specification's four (part 2, section 2) between what a newcomer does first and
 * what is seldom wanted. The first one opens when the address names none.
 */
export const dashboardTabs = ['connections', 'profile', 'services', 'billing', 'usage', 'apps', 'tokens'] as const;
export type DashboardTab = (typeof dashboardTabs)[number];

/** Reads the tab from the address and drops an unknown one. */
export function parseDashboardSearch({ tab }: Record<string, unknown>): { tab?: DashboardTab } {
  const known = dashboardTabs.find((candidate) => candidate === tab);
  return known ? { tab: known } : {};
}
