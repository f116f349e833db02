import type { getManifest } from '@souk/contract/admin/manifests.ts';
import type { getServerDifferences } from '@souk/contract/admin/servers.ts';
import type { AnswerOutput } from '@souk/contract/endpoint.ts';
import { queryOptions } from '@tanstack/react-query';
import { adminApi, serverKey } from '../../admin-api.ts';

type Shown = AnswerOutput<typeof getManifest>;

/** The effects of a deployment, and the revision that they were read from, so that nothing else is deployed. */
export type DeployPlan = Pick<
  AnswerOutput<typeof getServerDifferences>,
  'from' | 'to' | 'differences' | 'effects' | 'people' | 'missingSecrets'
> & {
  revision: string;
  name: string;
  staged: string | null;
  /** The last version whose server answered; null if none has. */
  answered: string | null;
};

/** Attempts to get both answers for the same deployed version. */
const maxAttempts = 3;

/**
 * @param version undefined: the staged version, else the one that was live last
 * @throws ApiError of either call
 */
async function readPlan(id: string, version: string | undefined, signal: AbortSignal): Promise<DeployPlan> {
  for (let attempt = 1; ; attempt += 1) {
    const shown = await adminApi.getManifest({ params: { id }, query: {} }, { signal });
    const to = version ?? versionToDeploy(shown);
    const found = await adminApi.getServerDifferences({ params: { id }, query: { to } }, { signal });
    const deployed = shown.listed?.deployedVersion ?? null;
    if (found.from === deployed || attempt === maxAttempts) {
      const { revision, listed, answeredVersion } = shown;
      return {
        ...found,
        revision,
        // a manifest always has a name
        name: listed?.name ?? String(found.after['name']),
        staged: listed?.stagedVersion ?? null,
        answered: answeredVersion,
      };
    }
  }
}

function versionToDeploy({ listed, versions }: Shown): string | undefined {
  const current = listed?.stagedVersion ?? listed?.deployedVersion;
  if (typeof current === 'string') return current;
  const everDeployed = versions.filter(({ deployedAt }) => deployedAt !== null);
  return everDeployed.toSorted((a, b) => (b.deployedAt ?? '').localeCompare(a.deployedAt ?? ''))[0]?.version;
}

/** Fetched for each dialog, and not refetched while it is open. */
export const deployPlanQuery = (userId: string, id: string, version: string | undefined) =>
  queryOptions({
    queryKey: [...serverKey(userId, id), 'deploy-plan', version ?? null],
    queryFn: ({ signal }) => readPlan(id, version, signal),
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
