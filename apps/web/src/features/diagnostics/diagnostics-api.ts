import { createClient } from '@souk/contract/client.ts';
import { listConnections, testConnection } from '@souk/contract/diagnostics.ts';
import { queryOptions } from '@tanstack/react-query';
import { accountKey } from '#web/loading/account-key.ts';
import { clientOptions } from '#web/api.ts';

/** The calls of this feature, in a client of their own: only the dashboard loads their schemas. */
export const diagnosticsApi = createClient([listConnections, testConnection] as const, clientOptions);

/** How often the list is asked for again: a person who connects a client watches it. */
const attemptsPollMs = 2_500;

/** The connection attempts of the person's clients, newest first. */
export const attemptsQuery = (userId: string) =>
  queryOptions({
    queryKey: [...accountKey(userId), 'connection-attempts'],
    queryFn: () => diagnosticsApi.listConnections({ params: { userId } }),
    refetchInterval: attemptsPollMs,
  });
