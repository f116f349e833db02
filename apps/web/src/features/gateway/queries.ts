import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { accountKey } from '#web/loading/account-key.ts';
import { isAnswered } from '#web/texts/answered-call.ts';
import { api } from '#web/api.ts';

/** The user's own use of tools in the last 30 days. */
export const usageStatsQuery = (userId: string) =>
  queryOptions({
    queryKey: [...accountKey(userId), 'usage-stats', 30],
    queryFn: () => api.getUsageStats({ params: { userId }, query: { days: 30 } }),
  });

/** Calls to search: prompts that were read may be newer than the call that failed. */
const recentCalls = 20;

/**
 * The newest call of a client that was not answered, to one service or to all.
 * @param lastCallAt refetches for a later call
 */
export const lastUnansweredQuery = (userId: string, serverId: string | undefined, lastCallAt: string) =>
  queryOptions({
    queryKey: [...accountKey(userId), 'last-unanswered', serverId, lastCallAt],
    queryFn: async () => {
      const query = { limit: recentCalls, ...(serverId !== undefined && { serverId }) };
      const { calls } = await api.listCalls({ params: { userId }, query });
      return calls.find(({ client, outcome }) => client.kind !== 'web' && outcome !== 'ok') ?? null;
    },
    placeholderData: keepPreviousData,
  });

/** The call of a client that was answered at this time, to one service or to all. */
export const clientCallQuery = (userId: string, serverId: string | undefined, at: string) =>
  queryOptions({
    queryKey: [...accountKey(userId), 'client-call', serverId, at],
    queryFn: async () => {
      // only this moment: the website may have run many tools since
      const to = new Date(Date.parse(at) + 1).toISOString();
      const query = { limit: recentCalls, from: at, to, ...(serverId !== undefined && { serverId }) };
      const { calls } = await api.listCalls({ params: { userId }, query });
      return calls.find((call) => call.client.kind !== 'web' && isAnswered(call)) ?? null;
    },
    placeholderData: keepPreviousData,
    staleTime: Infinity,
  });
