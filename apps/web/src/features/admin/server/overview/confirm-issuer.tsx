import { useQueryClient } from '@tanstack/react-query';
import { ConfirmDialog } from '#ui/overlay/confirm-dialog.tsx';
import { useToast } from '#ui/overlay/use-toast.ts';
import { failureText } from '#web/texts/failure-text.ts';
import { adminApi } from '../../admin-api.ts';
import { useSingleMutation } from '../../use-single-mutation.ts';
import { signInQuery } from '../server-queries.ts';
import { whatIsAtStake, type IssuerQuestion } from './what-is-at-stake.ts';

/** Asks before users and our client are sent to an authorization server, and names the risks. */
export function ConfirmIssuer({
  userId,
  serverId,
  open,
  onClose,
  ...question
}: IssuerQuestion & { userId: string; serverId: string; open: boolean; onClose: () => void }) {
  const { named, isOperators, isChange } = question;
  const queries = useQueryClient();
  const toast = useToast();
  const { host } = new URL(isOperators ? named.tokenEndpoint : named.authorizationEndpoint);
  const confirm = useSingleMutation({
    mutationFn: () => adminApi.confirmServerIssuer({ params: { id: serverId }, body: named }),
    onSuccess: (answer) => {
      queries.setQueryData(signInQuery(userId, serverId).queryKey, answer);
      toast.success(`People sign in at ${host}.`);
      onClose();
    },
    onSettled: () => queries.invalidateQueries({ queryKey: signInQuery(userId, serverId).queryKey }),
  });
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={() => {
        confirm.reset();
        onClose();
      }}
      title={isOperators ? `Send your client to ${host}?` : `Let people sign in at ${host}?`}
      confirmLabel="Confirm"
      variant={isChange ? 'danger' : 'primary'}
      busy={confirm.isPending}
      error={confirm.isError ? failureText(confirm.error) : undefined}
      onConfirm={() => confirm.mutate()}
    >
      <div className="flex flex-col gap-3 wrap-anywhere">
        {whatIsAtStake(question).map((text) => (
          <p key={text}>{text}</p>
        ))}
      </div>
    </ConfirmDialog>
  );
}
