import { ApiError } from '@souk/contract/client.ts';
import { queryOptions, useQueries } from '@tanstack/react-query';
import { api } from '../api.ts';

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
  const find = useServers(ids);
  return (id) => find(id)?.server.displayName;
}

/** The same with the address of the icon. */
export function useServerFaces(ids: readonly string[]) {
  const find = useServers(ids);
  return (serverId: string): { name: string; icon: string | undefined } => {
    const server = find(serverId)?.server;
    return { name: server?.displayName ?? serverId, icon: server?.metadata.icon };
  };
}

/** Names of servers, and titles of their tools by the server's own name of the tool. */
export function useServerTexts(ids: readonly string[]) {
  const find = useServers(ids);
  return {
    nameOf: (serverId: string): string => find(serverId)?.server.displayName ?? serverId,
    titleOf: (serverId: string, tool: string): string =>
      find(serverId)?.capabilities.find(({ type, name }) => type === 'tool' && name === tool)?.displayName ?? tool,
  };
}

function useServers(ids: readonly string[]) {
  // a name does not change by the minute
  const answers = useQueries({
    queries: [...new Set(ids)].map((id) => ({ ...serverQuery(id), refetchInterval: false })),
  });
  return (serverId: string) => answers.find(({ data }) => data?.server.serverId === serverId)?.data;
}
