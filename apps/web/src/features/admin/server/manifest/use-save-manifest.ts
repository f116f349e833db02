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
 * Stages the text of a manifest. What the broker finds wrong with fields stands in `refused`.
 * @param onSaved gets the text that was saved and the revision that it made
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
      // what is shown is of this revision from now on, also while it is read again
      queries.setQueryData(shownManifestQuery(userId, serverId).queryKey, (shown) => shown && { ...shown, revision });
      onSaved(text, revision);
      toast.success(
        result === 'staged'
          ? `${version} is staged. Deploy it when you are ready.`
          : `${version} is stored like this already.`,
      );
      await changed();
    },
    onError: async (error, { text }) => {
      setRefused(error instanceof ApiError && error.issues.length > 0 ? { text, issues: error.issues } : undefined);
      // shows what another administrator has stored, beside the text
      if (isStaleWrite(error)) await changed();
    },
  });
  return {
    mutate: save.mutate,
    reset: save.reset,
    isPending: save.isPending,
    refused,
    /** Undefined also where another administrator came first: both texts are shown then. */
    failure: save.isError && !isStaleWrite(save.error) ? actionFailure('upload', save.error) : undefined,
  };
}
