/** The tabs of the dashboard, in order. The first one opens when the address names none. */
export const dashboardTabs = ['connections', 'services', 'billing', 'apps', 'tokens', 'profile'] as const;
export type DashboardTab = (typeof dashboardTabs)[number];

/** Reads the tab from the address and drops an unknown one. */
export function parseDashboardSearch({ tab }: Record<string, unknown>): { tab?: DashboardTab } {
  const known = dashboardTabs.find((candidate) => candidate === tab);
  return known ? { tab: known } : {};
}
