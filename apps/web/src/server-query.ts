import { ApiError } from '@souk/contract/client.ts';
import { queryOptions, useQueries } from '@tanstack/react-query';
import { api } from './api.ts';

/** A server that is not deployed, and an id that none can have. */
export const isNotDeployed = (error: unknown): error is ApiError =>
  error instanceof ApiError && (error.status === 404 || error.status === 414);

/** One deployed server with what it offers. Read again each minute while a page shows it, since the status is live. */
export const serverQuery = (serverId: string) =>
  queryOptions({
    queryKey: ['catalogue', 'server', serverId],
    queryFn: ({ signal }) => api.getServer({ params: { serverId } }, { signal }),
    refetchInterval: 60_000,
    retry: (failures, error) => failures < 1 && !isNotDeployed(error),
  });

/** Names of servers by their ids; undefined while one loads, and for one that is not deployed. */
export function useServerNames(ids: readonly string[]): (serverId: string) => string | undefined {
  // a name does not change by the minute
  const answers = useQueries({
    queries: [...new Set(ids)].map((id) => ({ ...serverQuery(id), refetchInterval: false })),
  });
  return (id) => answers.find(({ data }) => data?.server.serverId === id)?.data?.server.displayName;
}
