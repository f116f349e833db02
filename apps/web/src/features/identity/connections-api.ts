import { createClient } from '@souk/contract/client.ts';
import { listConnections, testConnection } from '@souk/contract/connection-log.ts';
import { queryOptions } from '@tanstack/react-query';
import { clientOptions } from '#web/api.ts';
import { accountKey } from './queries.ts';

/** The calls of the connection doctor. */
export const connectionsApi = createClient([listConnections, testConnection] as const, clientOptions);

/** Asked again this often: somebody who connects a client looks on. */
const connectionsPollMs = 2_500;

/** What became of each client that tried to connect, newest first. */
export const connectionsQuery = (userId: string) =>
  queryOptions({
    queryKey: [...accountKey(userId), 'connections'],
    queryFn: () => connectionsApi.listConnections({ params: { userId } }),
    refetchInterval: connectionsPollMs,
  });
