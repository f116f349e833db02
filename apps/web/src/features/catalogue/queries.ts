import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { api } from '#web/api.ts';
import type { MarketplaceSearch, SortOrder } from './marketplace/marketplace-search.ts';
import { refreshCatalogue } from './refresh-catalogue.ts';

export const healthQuery = queryOptions({ queryKey: ['catalogue', 'health'], queryFn: () => api.getMcpHealth() });

/** Servers on a page of the marketplace. */
export const marketplacePageSize = 24;

/** What the broker is asked for: all of the address but the view. Home's order is no choice of the marketplace. */
export type ServerSearch = Omit<MarketplaceSearch, 'view' | 'sort'> & {
  pageSize: number;
  sort?: SortOrder | 'featured' | undefined;
};

/**
 * One page of the servers that a search leaves. The servers before stay until the answer to a new search has come, and a
 * question that was replaced is given up: an old answer never takes the place of a newer one.
 * @param everyMs how long after an answer it is asked for again, while a page shows it: the status is live
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

/** The Refresh button: POST /mcp/refresh, a second's wait, then what the page shows of the catalogue is read again. */
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
