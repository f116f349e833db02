import { useQuery } from '@tanstack/react-query';
import type { DashboardTab } from '#features/identity/dashboard-tabs.ts';
import { usageStatsQuery } from '#features/gateway/queries.ts';
import { accountKey } from '../loading/account-key.ts';
import { api } from '../api.ts';

/** The longest period that the broker counts. */
const longestDays = 366;

/**
 * The dashboard's tab where the address names none: Connections until a client's first call was answered, My Services
 * afterwards. It is read once each time the dashboard opens, so a first call that arrives meanwhile turns the panel
 * green without taking it away. Undefined while it is being read.
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
    // the tab shows the failure of what it needs itself
    retry: false,
  });
  if (linked.isPending) return undefined;
  return linked.data ? 'services' : 'connections';
}
