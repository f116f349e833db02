/** Of a query that is loaded the first time its screen opens, and after that on Refresh alone (spec part 2, section 4). */
export const loadedOnce = {
  staleTime: Infinity,
  gcTime: Infinity,
  refetchOnMount: false,
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
} as const;
