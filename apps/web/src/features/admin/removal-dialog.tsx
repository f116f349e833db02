import { useQueryClient, type QueryKey } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ConfirmDialog } from '#ui/overlay/confirm-dialog.tsx';
import { useToast } from '#ui/overlay/use-toast.ts';
import { FailureOrSignIn, type SignInAgain } from './sign-in-again.tsx';
import { useSingleMutation } from './use-single-mutation.ts';

/**
 * Asks before an entry of a list is removed, which wants a fresh sign-in. One for each opening: its state begins anew.
 * @param props.children what the removal does to people
 * @param props.remove answers the list without the entry, which takes the place of the one that `queryKey` names
 */
export function RemovalDialog<Answer>(props: {
  name: string;
  /** The toast after it. */
  removed: string;
  remove: () => Promise<Answer>;
  queryKey: QueryKey;
  signInAgain: SignInAgain;
  open: boolean;
  onClose: () => void;
  children: ReactNode;
}) {
  const { name, removed, remove: send, queryKey, signInAgain, open, onClose, children } = props;
  const queries = useQueryClient();
  const toast = useToast();
  const remove = useSingleMutation({
    mutationFn: send,
    onSuccess: (answer) => {
      queries.setQueryData(queryKey, answer);
      toast.success(removed);
      onClose();
    },
    onError: () => queries.invalidateQueries({ queryKey }),
  });
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={onClose}
      title={`Remove ${name}?`}
      confirmLabel="Remove"
      busy={remove.isPending}
      onConfirm={() => remove.mutate()}
    >
      <p>{children}</p>
      <div className="mt-4 empty:hidden">
        <FailureOrSignIn error={remove.error} signInAgain={signInAgain} again={() => remove.mutate()} />
      </div>
    </ConfirmDialog>
  );
}
