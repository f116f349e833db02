import { useQuery } from '@tanstack/react-query';
import type { DashboardTab } from '#features/identity/dashboard-tabs.ts';
import { usageStatsQuery } from '#features/gateway/queries.ts';
import { accountKey } from '../loading/account-key.ts';
import { api } from '../api.ts';

/** The longest period that the broker has figures for. */
const longestDays = 366;

/**
 * Returns the tab of a dashboard address that names none: Connections until a client's first call was answered, then My
 * Services. Fetched once per opening, so that a first call turns the panel green without removing it. Undefined while
 * it loads.
 */
export function useOpeningTab(userId: string | undefined): DashboardTab | undefined {
  const linked = useQuery({
    queryKey: [...accountKey(userId ?? ''), 'client-has-called'],
    queryFn: async ({ client }) => {
      const recent = await client.fetchQuery(usageStatsQuery(userId ?? ''));
      if (recent.data.lastClientAt !== null) return true;
      const params = { userId: userId ?? '' };
      const { data } = await api.getUsageStats({ params, query: { days: longestDays } });
      return data.lastClientAt !== null;
    },
    enabled: userId !== undefined,
    staleTime: Infinity,
    gcTime: 0,
    // the tab shows its own failures
    retry: false,
  });
  if (linked.isPending) return undefined;
  return linked.data ? 'services' : 'connections';
}
