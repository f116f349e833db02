import { getCreditHistory, getCreditHistoryCsv, type CreditUsage } from '@souk/contract/billing/billing-history.ts';
import { createClient } from '@souk/contract/client.ts';
import type { Call, UsageStats } from '@souk/contract/usage.ts';
import { queryOptions } from '@tanstack/react-query';
import { accountKey } from '#web/loading/account-key.ts';
import { isAnswered } from '#web/texts/answered-call.ts';
import { api } from '#web/api.ts';
import { billingClientOptions } from '#web/loading/billing-client-options.ts';
import { loadedOnce } from '#web/loading/loaded-once.ts';

/** A client of its own, so that only this tab loads these schemas. */
const usageApi = createClient([getCreditHistory, getCreditHistoryCsv] as const, billingClientOptions);

/** Spec part 2, section 9. */
const days = 30;
const requestedCharges = 20;

export const usageQuery = (userId: string) =>
  queryOptions({
    queryKey: [...accountKey(userId), 'usage', 'stats'],
    queryFn: async () => (await api.getUsageStats({ params: { userId }, query: { days } })).data,
    ...loadedOnce,
  });

/** Replaces stats that cannot be fetched (spec part 1, section 8). */
export const noUsage: UsageStats = {
  totalCreditsUsed: 0,
  totalToolCalls: 0,
  answeredToolCalls: 0,
  averageCost: 0,
  usageByMcp: [],
  usageByTool: [],
  usageByDay: [],
  usageByMcpAndDay: [],
  lastCallAt: null,
  lastAnsweredAt: null,
  lastClientAt: null,
};

/** Spec part 2, section 9. */
const shownCalls = 10;

/** Whether there are calls that cost credits, and the newest answered calls, charged and free. */
export const activityQuery = (userId: string) =>
  queryOptions({
    queryKey: [...accountKey(userId), 'usage', 'activity'],
    queryFn: async () => {
      const params = { userId };
      const [history, { calls }] = await Promise.all([
        usageApi.getCreditHistory({ params, query: { limit: requestedCharges } }),
        // twice as many, since some may not have been answered
        api.listCalls({ params, query: { limit: 2 * shownCalls } }),
      ]);
      const charges = history.data.usage.map((usage) => ({ ...usage, isFailed: false }));
      const free = calls.filter(({ credits, ...call }) => credits === 0 && isAnswered(call)).map(asUsage);
      const newest = [...charges, ...free].toSorted((a, b) => Date.parse(b.timestamp) - Date.parse(a.timestamp));
      return { hasCharges: charges.length > 0, newest: newest.slice(0, shownCalls) };
    },
    ...loadedOnce,
  });

/** A call of Recent Activity. isFailed: its tool answered with an error, and nothing was charged. */
export type ShownCall = CreditUsage & { isFailed: boolean };

const asUsage = ({ id, serverId, name, at, outcome }: Call): ShownCall => ({
  id,
  mcpId: serverId,
  toolName: name,
  amount: 0,
  isFailed: outcome === 'error',
  timestamp: at,
  metadata: {},
});

export const creditHistoryFile = (userId: string) => usageApi.getCreditHistoryCsv({ params: { userId }, query: {} });
