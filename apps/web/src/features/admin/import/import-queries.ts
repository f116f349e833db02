import { infiniteQueryOptions, queryOptions, useQueryClient } from '@tanstack/react-query';
import { adminApi, adminKey } from '../admin-api.ts';
import type { AdminSearch } from '../admin-search.ts';

const registriesKey = (userId: string) => [...adminKey(userId), 'registries'] as const;

export const registriesQuery = (userId: string) =>
  queryOptions({
    queryKey: [...registriesKey(userId), 'list'],
    queryFn: async () => (await adminApi.listRegistries()).registries,
  });

export const updatesQuery = (userId: string) =>
  queryOptions({
    queryKey: [...registriesKey(userId), 'updates'],
    queryFn: () => adminApi.listRegistryUpdates(),
  });

type RegistryFilter = Pick<AdminSearch, 'q' | 'kind' | 'only' | 'since'>;

const dayMs = 24 * 60 * 60_000;

/** Servers of a registry, page by page. Fetched once, since each page is a request to the registry. */
export const registryServersQuery = (userId: string, registryId: string, { q, kind, only, since }: RegistryFilter) =>
  infiniteQueryOptions({
    queryKey: [...registriesKey(userId), registryId, 'servers', { q, kind, only, since }],
    queryFn: ({ pageParam, signal }) =>
      adminApi.browseRegistry(
        {
          params: { id: registryId },
          query: {
            search: q,
            kind,
            cursor: pageParam ?? undefined,
            ...(only !== 'all' && { hideDeprecated: 'true' }),
            ...(only === 'importable' && { importable: 'true' }),
            ...(since !== undefined && { updatedSince: new Date(Date.now() - Number(since) * dayMs).toISOString() }),
          },
        },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    staleTime: Infinity,
    retry: false,
    refetchOnWindowFocus: false,
  });

export const pickedPreviewQuery = (userId: string, registryId: string, server: { name: string; version: string }) =>
  queryOptions({
    queryKey: [...registriesKey(userId), registryId, 'preview', server],
    queryFn: () => adminApi.previewImport({ body: { registryId, servers: [server] } }),
    staleTime: 0,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
  });

/** Returns a function to call after a change of the registries or of imported servers. */
export function useRegistriesChanged(userId: string): () => Promise<void> {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: registriesKey(userId) });
}
