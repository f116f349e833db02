import { useQueryClient, type QueryKey } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Button } from '#ui/button.tsx';
import { Dialog } from '#ui/overlay/dialog.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { useToast } from '#ui/overlay/use-toast.ts';
import { failureText } from '#web/texts/failure-text.ts';
import { SignInAgainNotice, wantsSignInAgain, type SignInAgain } from './sign-in-again.tsx';
import { useSingleMutation } from './use-single-mutation.ts';

/**
 * Asks before an entry of a list is removed, which wants a fresh sign-in.
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
      close();
    },
    onError: () => queries.invalidateQueries({ queryKey }),
  });
  function close() {
    remove.reset();
    onClose();
  }
  return (
    <Dialog
      urgent
      size="small"
      open={open}
      onOpenChange={(next) => !next && !remove.isPending && close()}
      title={`Remove ${name}?`}
      footer={
        <>
          <Button onClick={() => !remove.isPending && close()}>Cancel</Button>
          <Button variant="danger" loading={remove.isPending} onClick={() => remove.mutate()}>
            Remove
          </Button>
        </>
      }
    >
      <p className="text-quiet">{children}</p>
      {remove.isError && (
        <div className="mt-4">
          {wantsSignInAgain(remove.error) ? (
            <SignInAgainNotice signInAgain={signInAgain} onSignedIn={() => remove.mutate()} />
          ) : (
            <Notice tone="bad">{failureText(remove.error)}</Notice>
          )}
        </div>
      )}
    </Dialog>
  );
}
