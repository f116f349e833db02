import { ApiError } from '@souk/contract/client.ts';
import { queryOptions, useQueries } from '@tanstack/react-query';
import { api } from '../api.ts';

/** Returns whether the server is not deployed, or the id is invalid. */
export const isNotDeployed = (error: unknown): error is ApiError =>
  error instanceof ApiError && (error.status === 404 || error.status === 414);

/** One deployed server and what it offers. Refetched each minute while a page shows it, since the status is live. */
export const serverQuery = (serverId: string) =>
  queryOptions({
    queryKey: ['catalogue', 'server', serverId],
    queryFn: ({ signal }) => api.getServer({ params: { serverId } }, { signal }),
    refetchInterval: 60_000,
    retry: (failures, error) => failures < 1 && !isNotDeployed(error),
  });

/** Returns the name of a server by its id; undefined while it loads, and for a server that is not deployed. */
export function useServerNames(ids: readonly string[]): (serverId: string) => string | undefined {
  const find = useServers(ids);
  return (id) => find(id)?.server.displayName;
}

export function useServerFaces(ids: readonly string[]) {
  const find = useServers(ids);
  return (serverId: string): { name: string; icon: string | undefined } => {
    const server = find(serverId)?.server;
    return { name: server?.displayName ?? serverId, icon: server?.metadata.icon };
  };
}

/** Returns the names of servers and the titles of their tools, by the server's own name of the tool. */
export function useServerTexts(ids: readonly string[]) {
  const find = useServers(ids);
  return {
    nameOf: (serverId: string): string => find(serverId)?.server.displayName ?? serverId,
    titleOf: (serverId: string, tool: string): string =>
      find(serverId)?.capabilities.find(({ type, name }) => type === 'tool' && name === tool)?.displayName ?? tool,
  };
}

function useServers(ids: readonly string[]) {
  // names don't change by the minute
  const answers = useQueries({
    queries: [...new Set(ids)].map((id) => ({ ...serverQuery(id), refetchInterval: false })),
  });
  return (serverId: string) => answers.find(({ data }) => data?.server.serverId === serverId)?.data;
}
