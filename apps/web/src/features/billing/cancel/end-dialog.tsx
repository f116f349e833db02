import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { formatDay } from '#ui/text/amount.ts';
import { ConfirmDialog } from '#ui/overlay/confirm-dialog.tsx';
import { useToast } from '#ui/overlay/use-toast.ts';
import { useFrozen } from '#ui/overlay/use-frozen.ts';
import { announceSubscriptionUpdate } from '../subscription-updated.ts';

export type EndDialogProps<Thing> = {
  userId: string;
  /** The plan or rental to cancel. Undefined: closed. */
  thing: Thing | undefined;
  onClose: () => void;
  title: (thing: Thing) => string;
  question: (thing: Thing) => ReactNode;
  confirmLabel: string;
  /** @returns when access ends; null: it has ended */
  end: (thing: Thing) => Promise<{ endsAt: string | null }>;
  /** Subject of the message: "The Pro plan". */
  subject: (thing: Thing) => string;
  /** Says what the user keeps, for the message. Undefined: the broker's own text. */
  kept?: (thing: Thing) => string | undefined;
  failure: (error: unknown) => string;
};

/** Asks before a plan or rental is canceled, then refetches the user's data. A failure stays in the dialog. */
export function EndDialog<Thing>(props: EndDialogProps<Thing>) {
  const { userId, thing, onClose, title, question, confirmLabel, end, subject, kept, failure } = props;
  const queries = useQueryClient();
  const toast = useToast();
  const shown = useFrozen(thing, thing === undefined);
  const cancel = useMutation({
    mutationFn: end,
    onSuccess: async ({ endsAt }, ended) => {
      await announceSubscriptionUpdate(queries, userId);
      onClose();
      const until = endsAt === null ? '' : ` You keep access until ${formatDay(endsAt)} and can resume until then.`;
      const keeps = kept?.(ended);
      toast.success(`${subject(ended)} is canceled.${keeps === undefined ? until : ` ${keeps}`}`);
    },
  });
  return (
    <ConfirmDialog
      open={thing !== undefined}
      onOpenChange={() => {
        cancel.reset();
        onClose();
      }}
      title={shown === undefined ? '' : title(shown)}
      confirmLabel={confirmLabel}
      cancelLabel="Keep it"
      busy={cancel.isPending}
      error={cancel.isError ? failure(cancel.error) : undefined}
      onConfirm={() => thing !== undefined && !cancel.isPending && cancel.mutate(thing)}
    >
      {shown !== undefined && question(shown)}
    </ConfirmDialog>
  );
}
