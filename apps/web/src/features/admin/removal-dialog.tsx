import { useQueryClient, type QueryKey } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ConfirmDialog } from '#ui/overlay/confirm-dialog.tsx';
import { useToast } from '#ui/overlay/use-toast.ts';
import { FailureOrSignIn, type SignInAgain } from './sign-in-again.tsx';
import { useSingleMutation } from './use-single-mutation.ts';

/**
 * Asks before an entry is removed from a list, which needs a recent sign-in. Each opening needs a new instance.
 * @param props.children the effect of the removal
 * @param props.remove returns the list without the entry, which replaces the data of `queryKey`
 */
export function RemovalDialog<Answer>(props: {
  name: string;
  /** Text of the toast afterwards. */
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
