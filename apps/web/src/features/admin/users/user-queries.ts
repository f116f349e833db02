import { listPlans } from '@souk/contract/billing/billing.ts';
import { createClient } from '@souk/contract/client.ts';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '#web/api.ts';
import { adminApi, adminClientOptions, usersKey } from '../admin-api.ts';
import type { AdminSearch } from '../admin-search.ts';

/** Spec part 2, section 9. */
const pageSize = 20;

/** Services that the selector lists at once. */
const servicesAtOnce = 20;

export const userListsKey = (adminId: string) => [...usersKey(adminId), 'list'] as const;

/** A page of the users that the address asks for. The page before stays until the answer has come. */
export const usersQuery = (adminId: string, { page, all, role, active, plan }: AdminSearch) => {
  const query = { page: page ?? 1, limit: pageSize, search: all, role, active, plan };
  return queryOptions({
    queryKey: [...userListsKey(adminId), query],
    queryFn: ({ signal }) => adminApi.listUsers({ query }, { signal }),
    placeholderData: keepPreviousData,
  });
};

/** What one user has, and their credits. */
export const userBillingQuery = (adminId: string, userId: string) =>
  queryOptions({
    queryKey: [...usersKey(adminId), 'billing', userId],
    queryFn: ({ signal }) => adminApi.getUserBilling({ params: { userId } }, { signal }),
  });

const plansClient = createClient([listPlans] as const, adminClientOptions);

/** The plans that are sold: the public list. */
export const plansQuery = queryOptions({
  queryKey: ['plans'],
  queryFn: async () => (await plansClient.listPlans()).plans,
  staleTime: 60_000,
});

/** The deployed services that fit a text, the first few by name. */
export const servicesQuery = (q: string) =>
  queryOptions({
    queryKey: ['catalogue', 'assignable', q],
    queryFn: ({ signal }) => api.findServers({ query: { q, pageSize: servicesAtOnce } }, { signal }),
    placeholderData: keepPreviousData,
  });
