import { useToast } from '#ui/overlay/use-toast.ts';
import { adminApi } from '../admin-api.ts';
import { actionFailure } from '../manifests/failure-texts.ts';
import { useManifestsChanged } from '../manifests/manifest-queries.ts';
import type { JsonObject } from './part-of.ts';
import type { ServerPartProps } from './server-queries.ts';
import { useSingleMutation } from '../use-single-mutation.ts';

type Change = { version: string; reason: string; apply: (manifest: JsonObject) => JsonObject };

/**
 * Stages a version with one change to the staged manifest, else to the deployed one. The broker refuses it if another
 * administrator has changed the manifest since it was shown.
 */
export function useStageChange({ userId, serverId, shown }: ServerPartProps, onDone: () => void) {
  const toast = useToast();
  const changed = useManifestsChanged(userId);
  const change = useSingleMutation({
    mutationFn: ({ version, reason, apply }: Change) =>
      adminApi.updateManifest(
        {
          params: { id: serverId },
          query: { reason },
          body: JSON.stringify({ ...apply(shown.manifest), version: version.trim() }, null, 2),
        },
        { ifMatch: shown.revision },
      ),
    onSuccess: async ({ version }) => {
      await changed();
      toast.success(`${version} is staged. Deploy it when you are ready.`);
      onDone();
    },
    // after a stale write, the next attempt starts from the stored manifest
    onError: () => changed(),
  });
  return {
    stage: change.mutate,
    isPending: change.isPending,
    failure: change.isError ? actionFailure('upload', change.error) : undefined,
  };
}
