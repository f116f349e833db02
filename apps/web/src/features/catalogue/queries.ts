import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { api } from '#web/api.ts';
import { refreshCatalogue } from './refresh-catalogue.ts';

/** Every deployed server and what it offers. Re-read each minute while a page shows it: status is live. */
export const capabilitiesQuery = queryOptions({
  queryKey: ['catalogue', 'capabilities'],
  queryFn: () => api.getCapabilities(),
  refetchInterval: 60_000,
});

export const healthQuery = queryOptions({ queryKey: ['catalogue', 'health'], queryFn: () => api.getMcpHealth() });

/** The Refresh button: POST /mcp/refresh, 1 second, then all of the catalogue is read again. */
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
