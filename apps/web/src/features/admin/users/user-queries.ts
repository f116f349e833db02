import { listPlans } from '@souk/contract/billing/billing.ts';
import { createClient } from '@souk/contract/client.ts';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '#web/api.ts';
import { adminApi, adminClientOptions, usersKey } from '../admin-api.ts';
import type { AdminSearch } from '../admin-search.ts';

/** Spec part 2, section 9. */
const pageSize = 20;

const servicesPerSearch = 20;

export const userListsKey = (adminId: string) => [...usersKey(adminId), 'list'] as const;

/** The page of users in the address. The current page stays until the next one has loaded. */
export const usersQuery = (adminId: string, { page, all, role, active, plan }: AdminSearch) => {
  const query = { page: page ?? 1, limit: pageSize, search: all, role, active, plan };
  return queryOptions({
    queryKey: [...userListsKey(adminId), query],
    queryFn: ({ signal }) => adminApi.listUsers({ query }, { signal }),
    placeholderData: keepPreviousData,
  });
};

export const userBillingQuery = (adminId: string, userId: string) =>
  queryOptions({
    queryKey: [...usersKey(adminId), 'billing', userId],
    queryFn: ({ signal }) => adminApi.getUserBilling({ params: { userId } }, { signal }),
  });

const plansClient = createClient([listPlans] as const, adminClientOptions);

/** The public list of plans for sale. */
export const plansQuery = queryOptions({
  queryKey: ['plans'],
  queryFn: async () => (await plansClient.listPlans()).plans,
  staleTime: 60_000,
});

/** The first deployed services that match a text. */
export const servicesQuery = (q: string) =>
  queryOptions({
    queryKey: ['catalogue', 'assignable', q],
    queryFn: ({ signal }) => api.findServers({ query: { q, pageSize: servicesPerSearch } }, { signal }),
    placeholderData: keepPreviousData,
  });
