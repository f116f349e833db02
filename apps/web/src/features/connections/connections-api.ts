import {
  deleteUpstreamConnection,
  disableServer,
  enableServer,
  finishUpstreamSignIn,
  getServerAccess,
  listUpstreamConnections,
  putUpstreamHeaders,
  startUpstreamSignIn,
} from '@souk/contract/connections.ts';
import { createClient } from '@souk/contract/client.ts';
import { queryOptions } from '@tanstack/react-query';
import { api, clientOptions } from '#web/api.ts';

/** The calls of a person's own connections to servers: of lazy screens alone, so not part of the first load. */
export const connectionsApi = createClient(
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

/** The person's sign-ins at servers, and what is switched off: what every action of the screen changes. */
export const upstreamKey = (userId: string) => ['account', userId, 'upstream-connections'];

export const upstreamConnectionsQuery = (userId: string) =>
  queryOptions({
    queryKey: [...upstreamKey(userId), 'list'],
    queryFn: () => connectionsApi.listUpstreamConnections({ params: { userId } }),
  });

/** Whether the person may use a server, and whether it is switched on: also of servers that want no sign-in. */
export const serverAccessQuery = (userId: string, serverId: string) =>
  queryOptions({
    queryKey: [...upstreamKey(userId), 'access', serverId],
    queryFn: () => connectionsApi.getServerAccess({ params: { userId, serverId } }),
  });

export const serversQuery = queryOptions({
  queryKey: ['catalogue', 'capabilities'],
  queryFn: () => api.getCapabilities(),
});
