import { serviceKinds, type ServicesSearch } from '#web/navigation/services-search.ts';

/** The tabs in order: the specification's four (part 2, section 2), then the one that links clients to the account. */
export const dashboardTabs = ['profile', 'services', 'billing', 'usage', 'connections'] as const;
export type DashboardTab = (typeof dashboardTabs)[number];

export const tabLabels: Readonly<Record<DashboardTab, string>> = {
  profile: 'Profile',
  services: 'My Services',
  billing: 'Billing',
  usage: 'Usage',
  connections: 'Connections',
};

/** The parts of the Connections tab in order. The first one opens if the address names none. */
export const connectionParts = ['link', 'apps', 'tokens'] as const;
export type ConnectionPart = (typeof connectionParts)[number];

export const partLabels: Readonly<Record<ConnectionPart, string>> = {
  link: 'Setup',
  apps: 'Connected apps',
  tokens: 'Access tokens',
};

export type DashboardSearch = { tab?: DashboardTab; part?: ConnectionPart } & ServicesSearch;

const maxSearchLength = 200;

/** Reads the address and drops unknown values. `?tab=apps` and `?tab=tokens` were tabs once and are parts now. */
export function parseDashboardSearch({ tab, part, q, show, page }: Record<string, unknown>): DashboardSearch {
  const formerTab = connectionParts.find((candidate) => candidate === tab);
  if (formerTab) return connectionSearch(formerTab);
  const known = dashboardTabs.find((candidate) => candidate === tab);
  if (known === 'connections') return connectionSearch(connectionParts.find((candidate) => candidate === part));
  if (known !== 'services') return known ? { tab: known } : {};
  const kind = serviceKinds.find((candidate) => candidate === show);
  const text = typeof q === 'string' ? q.slice(0, maxSearchLength) : '';
  // a string if it comes from an address, a number if it comes from a link
  const pageNumber = Number(page);
  return {
    tab: known,
    ...(text !== '' && { q: text }),
    ...(kind && { show: kind }),
    ...(Number.isInteger(pageNumber) && pageNumber > 1 && { page: pageNumber }),
  };
}

export const connectionSearch = (part: ConnectionPart = 'link'): { tab: 'connections'; part?: ConnectionPart } => ({
  tab: 'connections',
  ...(part !== connectionParts[0] && { part }),
});
