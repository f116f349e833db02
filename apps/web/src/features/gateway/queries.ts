import { queryOptions } from '@tanstack/react-query';
import { api } from '#web/api.ts';

/** A person's own use of tools in the last 30 days. */
export const usageStatsQuery = (userId: string) =>
  queryOptions({
    queryKey: ['usage-stats', userId, 30],
    queryFn: () => api.getUsageStats({ params: { userId }, query: { days: 30 } }),
  });
