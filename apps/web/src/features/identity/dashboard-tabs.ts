/** Parts of the dashboard, in their order; the first is shown where the address names none. */
export const dashboardTabs = ['connections', 'apps', 'tokens', 'profile'] as const;
export type DashboardTab = (typeof dashboardTabs)[number];

/** The tab of an address; what is no tab is passed over. */
export function parseDashboardSearch({ tab }: Record<string, unknown>): { tab?: DashboardTab } {
  const known = dashboardTabs.find((one) => one === tab);
  return known ? { tab: known } : {};
}
