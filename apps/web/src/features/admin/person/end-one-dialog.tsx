import { useId, type FormEvent } from 'react';
import { useToast } from '#ui/overlay/use-toast.ts';
import { adminApi } from '../admin-api.ts';
import { ActionFailure } from '../users/actions/action-failure.tsx';
import { FormDialog, type UserDialogProps } from '../users/actions/form-dialog.tsx';
import { ReasonField } from '../users/actions/reason-field.tsx';
import { useUserChange, useUserText } from '../users/user-work.ts';

/** An app, a browser or a token that is ended by itself. */
export type EndedOne = { kind: 'app' | 'browser' | 'token'; id: string; name: string };

const texts = {
  app: { verb: 'Disconnect', button: 'Disconnect app', done: 'is disconnected.', work: 'disconnect' },
  browser: { verb: 'Sign out', button: 'Sign out browser', done: 'is signed out.', work: 'disconnect' },
  token: { verb: 'Revoke', button: 'Revoke token', done: 'is revoked.', work: 'revoke' },
} as const;

const consequences = {
  app: 'Its access ends immediately, and running calls end.',
  browser: 'It is signed out immediately.',
  token: 'Anything using it stops working immediately. This cannot be undone.',
} as const;
/** What the user can do afterwards, unless they are deactivated. */
const ways = { app: ' The user can connect it again.', browser: ' The user can sign in again.', token: '' } as const;

/** Asks before one app is disconnected, one browser signed out, or one token revoked. */
export function EndOneDialog({
  user,
  one,
  open,
  onClose,
}: UserDialogProps & { user: { isActive: boolean }; one: EndedOne }) {
  const formId = useId();
  const toast = useToast();
  const { verb, button, done, work } = texts[one.kind];
  const [reason, setReason] = useUserText(work, { user, open }, `reason.${one.id}`, '');
  const end = useUserChange(work, user, {
    change: () =>
      one.kind === 'token'
        ? adminApi.revokePersonToken({ params: { id: user.id, tokenId: one.id }, body: { reason } })
        : adminApi.disconnectPersonApp({ params: { id: user.id, appId: one.id }, body: { reason } }),
    onDone: () => {
      toast.success(`${one.name} ${done}`);
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!end.isPending) end.mutate(undefined);
  };
  return (
    <FormDialog
      open={open}
      onClose={onClose}
      title={`${verb} ${one.name}?`}
      description={user.email}
      formId={formId}
      submitLabel={button}
      variant="danger"
      busy={end.isPending}
    >
      <form id={formId} onSubmit={submit} noValidate className="flex flex-col gap-4">
        <p className="text-quiet">
          {consequences[one.kind]}
          {user.isActive && ways[one.kind]}
        </p>
        <ReasonField value={reason} onChange={setReason} />
        <ActionFailure work={work} error={end.error} again={() => end.mutate(undefined)} />
      </form>
    </FormDialog>
  );
}
