import type { getManifest } from '@souk/contract/admin/manifests.ts';
import type { listServerRenters } from '@souk/contract/admin/servers.ts';
import type { AnswerOutput } from '@souk/contract/endpoint.ts';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { adminApi, serverKey } from '../admin-api.ts';
import { commandLine } from '../command-line.ts';
import { isNotFound } from '../refusals.ts';

export type ShownManifest = AnswerOutput<typeof getManifest>;
export type ManifestVersion = ShownManifest['versions'][number];
export type Renter = AnswerOutput<typeof listServerRenters>['renters'][number];

export type ServerPartProps = { userId: string; serverId: string; shown: ShownManifest };

const freshForMs = 30_000;
/** Refetch intervals of a deployed server: while it is down and an administrator repairs it, and while it is connected. */
const [downPollMs, connectedPollMs] = [1_500, 10_000];

function intervalOf(listed: ShownManifest['listed']): number {
  if (!listed?.isActive) return freshForMs;
  return listed.status === 'connected' ? connectedPollMs : downPollMs;
}

/** The staged manifest, else the deployed one, else the one that was live last; and all versions. */
export const shownManifestQuery = (userId: string, id: string) =>
  queryOptions({
    queryKey: [...serverKey(userId, id), 'manifest'],
    queryFn: ({ signal }) => adminApi.getManifest({ params: { id }, query: {} }, { signal }),
    refetchInterval: ({ state }) => intervalOf(state.data?.listed ?? null),
    retry: (failures, error) => failures < 1 && !isNotFound(error),
  });

/** A server before a change. Fetched for each dialog, and not refetched while it is open. */
export const manifestToChangeQuery = (userId: string, id: string, change: 'delete' | 'undeploy') =>
  queryOptions({
    queryKey: [...serverKey(userId, id), 'to-change', change],
    queryFn: ({ signal }) => adminApi.getManifest({ params: { id }, query: {} }, { signal }),
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });

const partQuery = <Data>(
  userId: string,
  id: string,
  part: string,
  load: (input: { params: { id: string } }, options: { signal: AbortSignal }) => Promise<Data>,
) =>
  queryOptions({
    queryKey: [...serverKey(userId, id), part],
    queryFn: ({ signal }) => load({ params: { id } }, { signal }),
  });

export const figuresQuery = (userId: string, id: string) => ({
  ...partQuery(userId, id, 'figures', adminApi.getServerFigures),
  refetchInterval: freshForMs,
});

export const logQuery = (userId: string, id: string) => partQuery(userId, id, 'log', adminApi.getServerLog);

export const signInQuery = (userId: string, id: string) => ({
  ...partQuery(userId, id, 'sign-in', adminApi.getServerSignIn),
  // each fetch makes the broker ask the server
  staleTime: freshForMs,
});

export const secretsQuery = (userId: string, id: string) =>
  partQuery(userId, id, 'secrets', adminApi.listServerSecrets);

export const toolsQuery = (userId: string, id: string) => partQuery(userId, id, 'tools', adminApi.listServerTools);

/** @param versions by default, the deployed and the staged version */
export const differencesQuery = (
  userId: string,
  id: string,
  versions: { from?: string | undefined; to?: string | undefined },
) =>
  queryOptions({
    queryKey: [...serverKey(userId, id), 'differences', versions],
    queryFn: ({ signal }) => adminApi.getServerDifferences({ params: { id }, query: versions }, { signal }),
    placeholderData: keepPreviousData,
  });

export const rentersQuery = (userId: string, id: string, page: number) =>
  queryOptions({
    queryKey: [...serverKey(userId, id), 'renters', page],
    queryFn: ({ signal }) => adminApi.listServerRenters({ params: { id }, query: { page } }, { signal }),
    placeholderData: keepPreviousData,
  });

/**
 * Returns the version to go back to: the one that was live before, or the last one of a server that is not deployed. If the live
 * version's server has not answered, it is the last version whose server did.
 */
export function versionBefore({ listed, versions, answeredVersion }: ShownManifest): string | undefined {
  if (listed?.isActive && listed.deployedVersion !== answeredVersion)
    return versions.find(({ version }) => version === answeredVersion)?.version;
  const earlier = versions
    .filter(({ version, deployedAt }) => deployedAt !== null && version !== listed?.deployedVersion)
    .toSorted((a, b) => (b.deployedAt ?? '').localeCompare(a.deployedAt ?? ''));
  return earlier[0]?.version;
}

/** Returns who staged a version: an administrator, the command line or the installation. */
export const stagerOf = ({ stagedBy, origin }: Pick<ManifestVersion, 'stagedBy' | 'origin'>): string =>
  stagedBy?.email ?? (origin === 'bundled' ? 'the installation' : commandLine);
