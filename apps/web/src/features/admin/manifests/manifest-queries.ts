import type { previewDeployAll } from '@souk/contract/admin/manifest-runs.ts';
import type { listManifests } from '@souk/contract/admin/manifests.ts';
import type { AnswerOutput } from '@souk/contract/endpoint.ts';
import { keepPreviousData, queryOptions, useQueryClient } from '@tanstack/react-query';
import { accountKey } from '#web/loading/account-key.ts';
import { adminApi, manifestsKey } from '../admin-api.ts';
import type { AdminSearch } from '../admin-search.ts';

export type ManifestList = AnswerOutput<typeof listManifests>;
export type ManifestCounts = ManifestList['counts'];

const pageSize = 50;

export type ManifestFilters = Pick<AdminSearch, 'q' | 'type' | 'status' | 'health' | 'sort' | 'page'>;

/** A page of the manifests that match. The current page stays until the next one has loaded. */
export const manifestsQuery = (userId: string, { q, type, status, health, sort, page = 1 }: ManifestFilters) =>
  queryOptions({
    queryKey: [...manifestsKey(userId), 'list', { q, type, status, health, sort, page }],
    queryFn: ({ signal }) =>
      adminApi.listManifests({ query: { search: q, type, status, health, sort, page, limit: pageSize } }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.manifests.some(isAwaitingFirstAnswer) ? connectingPollMs : pollMs),
  });

/** Refetch intervals: while a newly deployed server is being asked what it offers, and otherwise. */
const [connectingPollMs, pollMs] = [1500, 60_000];

/** Whether it is deployed, and no broker has an answer or an error from its server yet. */
export const isAwaitingFirstAnswer = ({ isActive, status, statusDetail }: ManifestList['manifests'][number]) =>
  isActive && status === 'disconnected' && statusDetail === undefined;

export const manifestCountsQuery = (userId: string) =>
  queryOptions({
    queryKey: [...manifestsKey(userId), 'counts'],
    queryFn: async ({ signal }) => (await adminApi.listManifests({ query: { page: 1, limit: 1 } }, { signal })).counts,
  });

export type DeployAllPreview = AnswerOutput<typeof previewDeployAll>;

/** The effects of deploy-all. Fetched for each dialog, and not refetched while it is open. */
export const deployAllPreviewQuery = (userId: string) =>
  queryOptions({
    queryKey: [...manifestsKey(userId), 'deploy-all'],
    queryFn: () => adminApi.previewDeployAll(),
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });

/** The manifests that a reload reconnects. */
export const deployedQuery = (userId: string) =>
  queryOptions({
    queryKey: [...manifestsKey(userId), 'deployed'],
    queryFn: ({ signal }) =>
      adminApi.listManifests({ query: { status: 'active', page: 1, limit: namesShown } }, { signal }),
  });
const namesShown = 20;

/** Returns a function to call after a change of manifests: it refetches the screen and the shop. */
export function useManifestsChanged(userId: string): () => Promise<void> {
  const queries = useQueryClient();
  return async () => {
    await Promise.all([
      queries.invalidateQueries({ queryKey: accountKey(userId) }),
      queries.invalidateQueries({ queryKey: ['catalogue'] }),
    ]);
  };
}
