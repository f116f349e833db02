import { getCreditHistory, getCreditHistoryCsv } from '@souk/contract/billing-history.ts';
import { createClient } from '@souk/contract/client.ts';
import type { UsageStats } from '@souk/contract/usage.ts';
import { queryOptions } from '@tanstack/react-query';
import { accountKey } from '#web/account-key.ts';
import { api } from '#web/api.ts';
import { billingClientOptions } from '#web/billing-client-options.ts';
import { loadedOnce } from '#web/loaded-once.ts';

/** The calls of this tab alone, in a client of their own: no other screen loads their schemas. */
const usageApi = createClient([getCreditHistory, getCreditHistoryCsv] as const, billingClientOptions);

/** Spec part 2, section 9. */
const days = 30;
const requestedCharges = 20;

/** What the person used in the last 30 days. */
export const usageQuery = (userId: string) =>
  queryOptions({
    queryKey: [...accountKey(userId), 'usage', 'stats'],
    queryFn: async () => (await api.getUsageStats({ params: { userId }, query: { days } })).data,
    ...loadedOnce,
  });

/** In place of stats that cannot be fetched: zeros (spec part 1, section 8). */
export const noUsage: UsageStats = {
  totalCreditsUsed: 0,
  totalToolCalls: 0,
  answeredToolCalls: 0,
  averageCost: 0,
  usageByMcp: [],
  usageByTool: [],
  usageByDay: [],
  lastCallAt: null,
  lastAnsweredAt: null,
};

/** The newest calls that cost credits. */
export const creditHistoryQuery = (userId: string) =>
  queryOptions({
    queryKey: [...accountKey(userId), 'usage', 'credit-history'],
    queryFn: async () =>
      (await usageApi.getCreditHistory({ params: { userId }, query: { limit: requestedCharges } })).data.usage,
    ...loadedOnce,
  });

/** All of them, as a file. */
export const creditHistoryFile = (userId: string) => usageApi.getCreditHistoryCsv({ params: { userId }, query: {} });
