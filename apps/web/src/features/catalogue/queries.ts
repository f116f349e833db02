import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { api } from '#web/api.ts';
import type { MarketplaceSearch, SortOrder } from './marketplace/marketplace-search.ts';
import { refreshCatalogue } from './refresh-catalogue.ts';

export const healthQuery = queryOptions({ queryKey: ['catalogue', 'health'], queryFn: () => api.getMcpHealth() });

export const marketplacePageSize = 24;

/** The query to the broker: the address without its view. Only home uses the order `featured`. */
export type ServerSearch = Omit<MarketplaceSearch, 'view' | 'sort'> & {
  pageSize: number;
  sort?: SortOrder | 'featured' | undefined;
};

/**
 * One page of matching servers. The previous servers stay until a new search is answered, and a replaced request is
 * aborted, so that an old answer never replaces a newer one.
 * @param everyMs refetch interval while a page shows it, since the status is live
 */
export const serversQuery = (search: ServerSearch, everyMs = 60_000) =>
  queryOptions({
    queryKey: ['catalogue', 'servers', search],
    queryFn: ({ signal }) => api.findServers({ query: search }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: everyMs,
  });

export const categoriesQuery = queryOptions({
  queryKey: ['catalogue', 'categories'],
  queryFn: () => api.getCategories(),
});

/** Refreshes the catalogue: POST /mcp/refresh, a second's wait, then a refetch of what the page shows. */
export function useRefresh() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () =>
      refreshCatalogue({
        ask: () => api.refreshServers(),
        wait: (delayMs) => new Promise((resolve) => setTimeout(resolve, delayMs)),
        reload: () => client.invalidateQueries({ queryKey: ['catalogue'] }),
      }),
  });
}
