import {
  deleteUpstreamConnection,
  disableServer,
  enableServer,
  finishUpstreamSignIn,
  getServerAccess,
  listUpstreamConnections,
  putUpstreamHeaders,
  startUpstreamSignIn,
} from '@souk/contract/upstreams.ts';
import { createClient } from '@souk/contract/client.ts';
import { queryOptions } from '@tanstack/react-query';
import { accountKey } from '#web/account-key.ts';
import { clientOptions } from '#web/api.ts';

/** The calls of this feature, in a client of their own: only lazy screens load their schemas. */
export const upstreamsApi = createClient(
  [
    deleteUpstreamConnection,
    disableServer,
    enableServer,
    finishUpstreamSignIn,
    getServerAccess,
    listUpstreamConnections,
    putUpstreamHeaders,
    startUpstreamSignIn,
  ] as const,
  clientOptions,
);

/** The person's accounts at servers and the servers that are switched off: what every action here changes. */
export const upstreamKey = (userId: string) => [...accountKey(userId), 'upstream-connections'];

export const upstreamConnectionsQuery = (userId: string) =>
  queryOptions({
    queryKey: [...upstreamKey(userId), 'list'],
    queryFn: () => upstreamsApi.listUpstreamConnections({ params: { userId } }),
  });

/** Whether the person may use a server, and whether it is switched on. */
export const serverAccessQuery = (userId: string, serverId: string) =>
  queryOptions({
    queryKey: [...upstreamKey(userId), 'access', serverId],
    queryFn: () => upstreamsApi.getServerAccess({ params: { userId, serverId } }),
  });
