import {
  getBillingDashboard,
  getCreditHistory,
  getCreditHistoryCsv,
  getTransactionsCsv,
  listTransactions,
} from '@souk/contract/billing-history.ts';
import { createClient } from '@souk/contract/client.ts';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '#web/api.ts';
import { billingClientOptions } from '../client-options.ts';
import { billingKey } from '../queries.ts';

/** The calls of the histories, in a client of their own: only the Billing tab loads their schemas. */
const historyApi = createClient(
  [getBillingDashboard, getCreditHistory, getCreditHistoryCsv, getTransactionsCsv, listTransactions] as const,
  billingClientOptions,
);

/** Both histories as files, whole. */
export const transactionsFile = (userId: string) => historyApi.getTransactionsCsv({ params: { userId }, query: {} });
export const creditHistoryFile = (userId: string) => historyApi.getCreditHistoryCsv({ params: { userId }, query: {} });

/** What the person has paid in all, and the newest transactions. */
export const billingDashboardQuery = (userId: string) =>
  queryOptions({
    queryKey: [...billingKey(userId), 'dashboard'],
    queryFn: async () => (await historyApi.getBillingDashboard({ params: { userId } })).data,
  });

const pageSize = 20;

/** Every payment and refund, by page. */
export const transactionsQuery = (userId: string, page: number) =>
  queryOptions({
    queryKey: [...billingKey(userId), 'transactions', page],
    queryFn: async () => (await historyApi.listTransactions({ params: { userId }, query: { page, pageSize } })).data,
    placeholderData: keepPreviousData,
  });

const shownCharges = 5;

/** The newest calls that cost credits. */
export const creditHistoryQuery = (userId: string) =>
  queryOptions({
    queryKey: [...billingKey(userId), 'credit-history'],
    queryFn: async () =>
      (await historyApi.getCreditHistory({ params: { userId }, query: { limit: shownCharges } })).data.usage,
  });

/** Credits that the calls of the last 30 days cost; 0 where that cannot be fetched (spec part 1, section 8). */
export const spentCreditsQuery = (userId: string) =>
  queryOptions({
    queryKey: [...billingKey(userId), 'spent-credits'],
    queryFn: async () => {
      const stats = await api.getUsageStats({ params: { userId }, query: { days: 30 } }).catch(() => undefined);
      return stats?.data.totalCreditsUsed ?? 0;
    },
  });
