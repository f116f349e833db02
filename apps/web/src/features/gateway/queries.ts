import { queryOptions } from '@tanstack/react-query';
import { accountKey } from '#web/account-key.ts';
import { api } from '#web/api.ts';

/** A person's own use of tools in the last 30 days. */
export const usageStatsQuery = (userId: string) =>
  queryOptions({
    queryKey: [...accountKey(userId), 'usage-stats', 30],
    queryFn: () => api.getUsageStats({ params: { userId }, query: { days: 30 } }),
  });
