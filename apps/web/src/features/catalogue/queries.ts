import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { api } from '#web/api.ts';
import { refreshCatalogue } from './refresh-catalogue.ts';

export const healthQuery = queryOptions({ queryKey: ['catalogue', 'health'], queryFn: () => api.getMcpHealth() });

/** The Refresh button: POST /mcp/refresh, a second's wait, then the whole catalogue is read again. */
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
