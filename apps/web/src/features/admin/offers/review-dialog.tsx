import type { AdminOffer, OfferChange } from '@souk/contract/admin/offers.ts';
import { ApiError } from '@souk/contract/client.ts';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { ConfirmDialog } from '#ui/overlay/confirm-dialog.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { Skeleton } from '#ui/state/skeleton.tsx';
import { failureText } from '#web/texts/failure-text.ts';
import { adminKey } from '../admin-api.ts';
import { isStaleWrite } from '../refusals.ts';
import { useDialogText } from '../use-dialog-text.ts';
import { useSingleMutation } from '../use-single-mutation.ts';
import { ReasonField } from '../users/actions/reason-field.tsx';
import { EffectList } from './effect-list.tsx';

type Answer = { effects: string[]; offer: AdminOffer | null };

export type Review = {
  title: string;
  /** Label of the button: "Save changes". */
  label: string;
  variant?: 'primary' | 'danger';
  send: (options: { preview: boolean; reason: string | undefined }) => Promise<Answer>;
};

export type AskedChange = Pick<Review, 'title' | 'label' | 'variant'> & { change: OfferChange };

/** Shows the effects of a change before it is made. */
export function ReviewDialog({
  userId,
  review,
  open,
  onClose,
  onDone,
  onRefused,
}: {
  userId: string;
  review: Review;
  open: boolean;
  onClose: () => void;
  onDone: (answer: Answer) => void;
  /** Called if fields were refused, or another change came first: the form explains it. */
  onRefused: (error: ApiError) => void;
}) {
  const opening = useId();
  const [reason, setReason] = useDialogText({ adminId: userId, dialog: `offer.${review.title}`, open }, 'reason', '');
  const reportRefusal = (answer: Promise<Answer>) =>
    answer.catch((error: unknown) => {
      if (isRefused(error)) onRefused(error);
      throw error;
    });
  const preview = useQuery({
    // each opening has its own preview, which a change of the offers doesn't refetch
    queryKey: [...adminKey(userId), 'offer-preview', opening],
    queryFn: () => reportRefusal(review.send({ preview: true, reason: undefined })),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    enabled: open,
  });
  const save = useSingleMutation({
    mutationFn: () => reportRefusal(review.send({ preview: false, reason })),
    onSuccess: onDone,
  });
  const failure = save.error ?? preview.error;
  const hasNoEffect = preview.data?.effects.length === 1 && preview.data.effects[0] === 'Nothing changes.';
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={(next) => !next && onClose()}
      title={review.title}
      confirmLabel={review.label}
      variant={review.variant ?? 'primary'}
      disabled={!preview.data || hasNoEffect}
      busy={save.isPending}
      onConfirm={() => save.mutate(undefined)}
    >
      <div className="flex flex-col gap-4 text-text">
        {preview.isPending && <Skeleton className="h-16 w-full" />}
        {failure && <Notice tone="bad">{failureText(failure)}</Notice>}
        {preview.data && <EffectList effects={preview.data.effects} />}
        {preview.data && !hasNoEffect && <ReasonField value={reason} onChange={setReason} />}
      </div>
    </ConfirmDialog>
  );
}

export const isRefused = (error: unknown): error is ApiError =>
  isStaleWrite(error) || (error instanceof ApiError && error.code === 'invalid_request');
