import { createClient } from '@souk/contract/client.ts';
import { listConnections, testConnection } from '@souk/contract/diagnostics.ts';
import { queryOptions } from '@tanstack/react-query';
import { accountKey } from '#web/loading/account-key.ts';
import { clientOptions } from '#web/api.ts';

/** A client of its own, so that only the dashboard loads these schemas. */
export const diagnosticsApi = createClient([listConnections, testConnection] as const, clientOptions);

/** Frequent, since users watch the list while they connect a client. */
const attemptsPollMs = 2_500;

export const attemptsQuery = (userId: string) =>
  queryOptions({
    queryKey: [...accountKey(userId), 'connection-attempts'],
    queryFn: () => diagnosticsApi.listConnections({ params: { userId } }),
    refetchInterval: attemptsPollMs,
  });
