import type { AdminOffer } from '@souk/contract/admin/offers.ts';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { formatDay } from '#ui/text/amount.ts';
import { ConfirmDialog } from '#ui/overlay/confirm-dialog.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { Skeleton } from '#ui/state/skeleton.tsx';
import { useToast } from '#ui/overlay/use-toast.ts';
import { failureText } from '#web/texts/failure-text.ts';
import { adminApi, adminKey } from '../admin-api.ts';
import { FailureOrSignIn, type SignInAgain } from '../sign-in-again.tsx';
import { useDialogText } from '../use-dialog-text.ts';
import { useSingleMutation } from '../use-single-mutation.ts';
import { ReasonField } from '../users/actions/reason-field.tsx';
import { EffectList } from './effect-list.tsx';
import { useOfferRefresh } from './offer-queries.ts';
import { subscribersText } from './subscribers-text.ts';
import { isRefused } from './review-dialog.tsx';

/** Shows what subscribers would pay from when, and moves them. Needs a recent sign-in. */
export function MoveDialog({
  userId,
  offer: { offerId, fields },
  open,
  onClose,
  signInAgain,
}: {
  userId: string;
  offer: AdminOffer;
  open: boolean;
  onClose: () => void;
  signInAgain: SignInAgain;
}) {
  const opening = useId();
  const [reason, setReason] = useDialogText({ adminId: userId, dialog: `move.${offerId}`, open }, 'reason', '');
  const refresh = useOfferRefresh(userId);
  const toast = useToast();
  const asked = useQuery({
    queryKey: [...adminKey(userId), 'move-preview', opening],
    queryFn: () => adminApi.previewMove({ params: { id: offerId } }),
    gcTime: 0,
    retry: false,
    enabled: open,
    // the preview doesn't change while it is being confirmed
    staleTime: Number.POSITIVE_INFINITY,
  });
  const preview = asked.data?.preview;
  const move = useSingleMutation({
    mutationFn: () =>
      adminApi.moveSubscribers({
        params: { id: offerId },
        body: {
          shown: {
            movable: preview?.movable ?? 0,
            amount: preview?.to.amount ?? 0,
            monthlyCredits: preview?.to.monthlyCredits ?? 0,
          },
          reason,
        },
      }),
    onSuccess: async ({ move: { total } }) => {
      onClose();
      toast.success(`${subscribersText(total)} of ${fields.name} ${total === 1 ? 'is' : 'are'} being moved.`);
      await refresh();
    },
    onError: (error) => {
      if (isRefused(error)) void asked.refetch();
    },
  });
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={(next) => !next && onClose()}
      title={`Move subscribers of ${fields.name}`}
      confirmLabel={preview ? `Move ${subscribersText(preview.movable)}` : 'Move subscribers'}
      variant="primary"
      size="medium"
      disabled={!preview || preview.movable === 0}
      busy={move.isPending}
      onConfirm={() => move.mutate(undefined)}
    >
      <div className="flex flex-col gap-4 text-text">
        {asked.isPending && <Skeleton className="h-24 w-full" />}
        {asked.error && <Notice tone="bad">{failureText(asked.error)}</Notice>}
        <FailureOrSignIn error={move.error} signInAgain={signInAgain} again={() => move.mutate(undefined)} />
        {preview && (
          <>
            <EffectList effects={preview.effects} />
            {preview.firstAt !== null && preview.lastAt !== null && (
              <p>
                {preview.firstAt.slice(0, 10) === preview.lastAt.slice(0, 10)
                  ? `They pay the new price from ${formatDay(preview.firstAt)} on.`
                  : `The first pays the new price on ${formatDay(preview.firstAt)}, the last on ${formatDay(preview.lastAt)}.`}
              </p>
            )}
            <p className="text-quiet">
              Their Billing tab shows the new price and its date from now on, and they can cancel before it.
            </p>
            {preview.movable > 0 && <ReasonField value={reason} onChange={setReason} />}
          </>
        )}
      </div>
    </ConfirmDialog>
  );
}
