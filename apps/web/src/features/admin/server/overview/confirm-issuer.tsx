import type { ServerSignIn, SignInDoubt } from '@souk/contract/admin-servers.ts';
import { useQueryClient } from '@tanstack/react-query';
import { ConfirmDialog } from '#ui/confirm-dialog.tsx';
import { useToast } from '#ui/use-toast.ts';
import { failureText } from '#web/failure-text.ts';
import { adminApi } from '../../admin-api.ts';
import { useSingleMutation } from '../../use-single-mutation.ts';
import { signInQuery } from '../server-queries.ts';

/**
 * Asks before people may be sent, and our client be shown, at an authorization server, and says what is at stake. A failure is shown
 * in the dialog.
 */
export function ConfirmIssuer({
  userId,
  serverId,
  name,
  named,
  isOperators,
  doubts,
  isChange,
  open,
  onClose,
}: {
  userId: string;
  serverId: string;
  name: string;
  named: NonNullable<ServerSignIn['named']>;
  /** The operator's client is what is shown there. */
  isOperators: boolean;
  doubts: readonly SignInDoubt[];
  /** Another one was confirmed before. */
  isChange: boolean;
  open: boolean;
  onClose: () => void;
}) {
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
      title={isOperators ? `Show your client to ${host}?` : `Let people sign in at ${host}?`}
      confirmLabel="Confirm"
      variant={isChange ? 'danger' : 'primary'}
      busy={confirm.isPending}
      error={confirm.isError ? failureText(confirm.error) : undefined}
      onConfirm={() => confirm.mutate()}
    >
      <div className="flex flex-col gap-3">
        {isOperators && (
          <p>
            The id and the secret of your client go to <Address>{named.tokenEndpoint}</Address> whenever somebody signs
            in. Confirm this only if you registered the client there.
          </p>
        )}
        {doubts.includes('other-site') && (
          <p>
            {name} is at <Address>{new URL(named.resource).host}</Address>, and sends people to{' '}
            <Address>{named.issuer}</Address> on another site. If that is the sign-in of another service, {name} can get
            tokens that let it act there in their name. Confirm this only if you know that people of {name} sign in there.
          </p>
        )}
        {doubts.includes('other-origins') && (
          <p>
            <Address>{named.issuer}</Address> also uses <Address>{named.origins.join(', ')}</Address>. Sign-in codes and
            secrets go there. Confirm this only if both belong to the same provider.
          </p>
        )}
        {doubts.includes('no-pkce') && (
          <p>
            It doesn't say that it supports PKCE (S256), without which somebody else can use a stolen sign-in code. Confirm
            this only if its documentation says that it does.
          </p>
        )}
        {isChange && <p>Sign-ins at the one before end, and those people sign in again.</p>}
      </div>
    </ConfirmDialog>
  );
}

function Address({ children }: { children: string }) {
  return <code className="font-mono text-[0.8125rem] wrap-anywhere text-text">{children}</code>;
}
