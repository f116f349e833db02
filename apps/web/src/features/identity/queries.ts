import { queryOptions } from '@tanstack/react-query';
import { api } from '#web/api.ts';

/** Answers of one person's own calls: the id in the key keeps two people apart in one browser. */
export const accountKey = (userId: string) => ['account', userId];

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
