import { queryOptions } from '@tanstack/react-query';
import { accountKey } from '#web/loading/account-key.ts';
import { api } from '#web/api.ts';

/** The signed-in user's plan, role and switches. */
export const profileQuery = (userId: string) =>
  queryOptions({
    queryKey: [...accountKey(userId), 'profile'],
    queryFn: () => api.getUserProfile(),
    staleTime: 60_000,
  });

/** Key of the list and its statistics, which change when a token is created or revoked. */
export const tokensKey = (userId: string) => [...accountKey(userId), 'tokens'];

export const tokensQuery = (userId: string) =>
  queryOptions({ queryKey: [...tokensKey(userId), 'list'], queryFn: () => api.listPersonalTokens() });

export const tokenStatsQuery = (userId: string) =>
  queryOptions({ queryKey: [...tokensKey(userId), 'stats'], queryFn: () => api.getPersonalTokenStats() });

export const connectedAppsKey = (userId: string) => [...accountKey(userId), 'connected-apps'];

/** The clients that the user allowed, and the browsers that they are signed in with. */
export const connectedAppsQuery = (userId: string) =>
  queryOptions({
    queryKey: connectedAppsKey(userId),
    queryFn: () => api.listConnectedApps({ params: { userId } }),
  });
