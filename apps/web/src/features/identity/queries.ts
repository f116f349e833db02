import { queryOptions } from '@tanstack/react-query';
import { accountKey } from '#web/loading/account-key.ts';
import { api } from '#web/api.ts';

/** Plan, role and switches of the signed-in user. */
export const profileQuery = (userId: string) =>
  queryOptions({
    queryKey: [...accountKey(userId), 'profile'],
    queryFn: () => api.getUserProfile(),
    staleTime: 60_000,
  });

/** The list and its statistics: what a new or revoked token changes. */
export const tokensKey = (userId: string) => [...accountKey(userId), 'tokens'];

/** The person's access tokens, newest first. */
export const tokensQuery = (userId: string) =>
  queryOptions({ queryKey: [...tokensKey(userId), 'list'], queryFn: () => api.listPersonalTokens() });

/** How many tokens there are, by status. */
export const tokenStatsQuery = (userId: string) =>
  queryOptions({ queryKey: [...tokensKey(userId), 'stats'], queryFn: () => api.getPersonalTokenStats() });

/** Clients and browsers that are signed in: what a disconnection changes. */
export const connectedAppsKey = (userId: string) => [...accountKey(userId), 'connected-apps'];

/** The clients that the person allowed, and the browsers that they are signed in with. */
export const connectedAppsQuery = (userId: string) =>
  queryOptions({
    queryKey: connectedAppsKey(userId),
    queryFn: () => api.listConnectedApps({ params: { userId } }),
  });
