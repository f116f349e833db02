import { ApiError } from '@souk/contract/client.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useToast } from '#ui/overlay/use-toast.ts';
import { adminApi } from '../../admin-api.ts';
import { actionFailure } from '../../manifests/failure-texts.ts';
import { useManifestsChanged } from '../../manifests/manifest-queries.ts';
import type { AskedCheck } from '../editor/check-text.ts';
import { shownManifestQuery } from '../server-queries.ts';
import { isStaleWrite } from '../../refusals.ts';
import { useSingleMutation } from '../../use-single-mutation.ts';

type Saved = { text: string; reason: string; revision: string };

/**
 * Stages the text of a manifest. `refused` has the fields that the broker refused.
 * @param onSaved gets the saved text and its revision
 */
export function useSaveManifest(userId: string, serverId: string, onSaved: (text: string, revision: string) => void) {
  const queries = useQueryClient();
  const toast = useToast();
  const changed = useManifestsChanged(userId);
  const [refused, setRefused] = useState<AskedCheck['refused']>();
  const save = useSingleMutation({
    mutationFn: ({ text, reason, revision }: Saved) =>
      adminApi.updateManifest({ params: { id: serverId }, query: { reason }, body: text }, { ifMatch: revision }),
    onSuccess: async ({ version, result, revision }, { text }) => {
      setRefused(undefined);
      // the shown manifest has this revision, even before it is refetched
      queries.setQueryData(shownManifestQuery(userId, serverId).queryKey, (shown) => shown && { ...shown, revision });
      onSaved(text, revision);
      toast.success(
        result === 'staged'
          ? `${version} is staged. Deploy it when you are ready.`
          : `${version} is already stored with this text.`,
      );
      await changed();
    },
    onError: async (error, { text }) => {
      setRefused(error instanceof ApiError && error.issues.length > 0 ? { text, issues: error.issues } : undefined);
      // fetches what another administrator stored, to show both texts
      if (isStaleWrite(error)) await changed();
    },
  });
  return {
    mutate: save.mutate,
    reset: save.reset,
    isPending: save.isPending,
    refused,
    /** undefined also after a stale write, when both texts are shown */
    failure: save.isError && !isStaleWrite(save.error) ? actionFailure('upload', save.error) : undefined,
  };
}
