import { upstreamEndpoints, type UpstreamAccount } from '@souk/contract/upstreams.ts';
import { createClient } from '@souk/contract/client.ts';
import { queryOptions } from '@tanstack/react-query';
import { accountKey } from '#web/loading/account-key.ts';
import { clientOptions } from '#web/api.ts';

/** A client of its own, so that only lazy screens load these schemas. */
export const upstreamsApi = createClient(upstreamEndpoints, clientOptions);

/** Key of the user's accounts at servers and of their switches, which every action here changes. */
export const upstreamKey = (userId: string) => [...accountKey(userId), 'upstream-connections'];

export const upstreamConnectionsQuery = (userId: string) =>
  queryOptions({
    queryKey: [...upstreamKey(userId), 'list'],
    queryFn: () => upstreamsApi.listUpstreamConnections({ params: { userId } }),
    refetchInterval: ({ state }) => (state.data?.connections.some(isBeingAsked) ? pollEveryMs : false),
  });

const pollEveryMs = 1_500;
/** Limit for a server to list the tools of a new account. Later ones appear at the next visit. */
const listWithinMs = 60_000;

/** Returns whether a server is being asked for the tools of an account that was just connected. */
export function isBeingAsked({ state, offers, since }: UpstreamAccount): boolean {
  if (state !== 'signed-in' || offers !== undefined || since === null) return false;
  return Date.now() - Date.parse(since) < listWithinMs;
}

export const serverAccessQuery = (userId: string, serverId: string) =>
  queryOptions({
    queryKey: [...upstreamKey(userId), 'access', serverId],
    queryFn: () => upstreamsApi.getServerAccess({ params: { userId, serverId } }),
  });

export const programFilesQuery = (userId: string) =>
  queryOptions({
    queryKey: [...upstreamKey(userId), 'files'],
    queryFn: async () => (await upstreamsApi.listProgramFiles({ params: { userId } })).files,
  });
