import { getBillingDashboard, getTransactionsCsv, listTransactions } from '@souk/contract/billing/billing-history.ts';
import { createClient } from '@souk/contract/client.ts';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { billingClientOptions } from '#web/loading/billing-client-options.ts';
import { loadedOnce } from '#web/loading/loaded-once.ts';
import { billingKey } from '../queries.ts';

/** A client of its own, so that only the Billing tab loads these schemas. */
const historyApi = createClient(
  [getBillingDashboard, getTransactionsCsv, listTransactions] as const,
  billingClientOptions,
);

export const transactionsFile = (userId: string) => historyApi.getTransactionsCsv({ params: { userId }, query: {} });

/** The sum of the user's payments, and the newest transactions. */
export const billingDashboardQuery = (userId: string) =>
  queryOptions({
    queryKey: [...billingKey(userId), 'dashboard'],
    queryFn: async () => (await historyApi.getBillingDashboard({ params: { userId } })).data,
    ...loadedOnce,
  });

const pageSize = 20;

export const transactionsQuery = (userId: string, page: number) =>
  queryOptions({
    queryKey: [...billingKey(userId), 'transactions', page],
    queryFn: async () => (await historyApi.listTransactions({ params: { userId }, query: { page, pageSize } })).data,
    placeholderData: keepPreviousData,
  });
