/** Options of a query that is loaded when its screen first opens, and then only by Refresh (spec part 2, section 4). */
export const loadedOnce = {
  staleTime: Infinity,
  gcTime: Infinity,
  refetchOnMount: false,
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
} as const;
