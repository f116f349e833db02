import { useQuery } from '@tanstack/react-query';
import { useToast } from '#ui/overlay/use-toast.ts';
import { adminApi } from '../../admin-api.ts';
import { manifestToChangeQuery } from '../../server/server-queries.ts';
import type { ServerDialogProps } from '../server-dialog.ts';
import { useManifestsChanged } from '../manifest-queries.ts';
import { refundsThatNeedAttention, sumOf, type ChosenRefunds } from './refunds.ts';
import { useSingleMutation } from '../../use-single-mutation.ts';

/** Returns "Travel (travel) is deleted". The id is there because other servers may have the same name. */
export const deletedTitle = (name: string | undefined, id: string): string =>
  `${name === undefined || name === id ? id : `${name} (${id})`} is deleted`;

/** A deletion of the revision that was shown, so that nothing else is deleted. */
export type Deletion = { revision: string; reason: string; refunds: ChosenRefunds };

/** Fetches a server each time its dialog opens, and deletes it. */
export function useDelete({ userId, id, open, onClose }: ServerDialogProps) {
  const toast = useToast();
  const changed = useManifestsChanged(userId);
  const shown = useQuery({ ...manifestToChangeQuery(userId, id, 'delete'), enabled: open });
  const remove = useSingleMutation({
    mutationFn: ({ revision, reason, refunds }: Deletion) =>
      adminApi.deleteManifest(
        { params: { id }, body: { reason, refundRentals: [...refunds.keys()] } },
        { ifMatch: revision },
      ),
    onSuccess: async (answer, { refunds }) => {
      // refunds that need attention are listed in the dialog
      if (refundsThatNeedAttention(answer.refunds).length === 0) {
        const message = `${deletedTitle(shown.data?.listed?.name, id)}.`;
        toast.success(refunds.size === 0 ? message : `${message} ${sumOf(refunds)} is refunded.`);
        onClose();
      }
      await changed();
    },
  });
  return { shown, remove };
}
