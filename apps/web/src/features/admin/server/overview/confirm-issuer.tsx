import type { ServerSignIn } from '@souk/contract/admin-servers.ts';
import { useQueryClient } from '@tanstack/react-query';
import { ConfirmDialog } from '#ui/confirm-dialog.tsx';
import { useToast } from '#ui/use-toast.ts';
import { failureText } from '#web/failure-text.ts';
import { adminApi } from '../../admin-api.ts';
import { useSingleMutation } from '../../use-single-mutation.ts';
import { signInQuery } from '../server-queries.ts';

/** Asks before the operator's client may be shown at an authorization server. A failure is shown in the dialog. */
export function ConfirmIssuer({
  userId,
  serverId,
  named,
  isChange,
  open,
  onClose,
}: {
  userId: string;
  serverId: string;
  named: NonNullable<ServerSignIn['named']>;
  /** Another one was confirmed before. */
  isChange: boolean;
  open: boolean;
  onClose: () => void;
}) {
  const queries = useQueryClient();
  const toast = useToast();
  const { host } = new URL(named.tokenEndpoint);
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
      title={`Show your client to ${host}?`}
      confirmLabel="Confirm"
      variant={isChange ? 'danger' : 'primary'}
      busy={confirm.isPending}
      error={confirm.isError ? failureText(confirm.error) : undefined}
      onConfirm={() => confirm.mutate()}
    >
      <p>
        The id and the secret of your client go to{' '}
        <code className="font-mono text-[0.8125rem] wrap-anywhere text-text">{named.tokenEndpoint}</code> whenever
        somebody signs in. Confirm this only if you registered the client there.
      </p>
      {isChange && <p className="mt-3">Sign-ins at the one before end, and those people sign in again.</p>}
    </ConfirmDialog>
  );
}
