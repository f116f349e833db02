import { useId, useState, type FormEvent } from 'react';
import { formatCount } from '#ui/text/amount.ts';
import { Checkbox } from '#ui/form/checkbox.tsx';
import { useToast } from '#ui/overlay/use-toast.ts';
import { adminApi } from '../../admin-api.ts';
import { ActionFailure } from '../../users/actions/action-failure.tsx';
import { FormDialog, type UserDialogProps } from '../../users/actions/form-dialog.tsx';
import { ReasonField } from '../../users/actions/reason-field.tsx';
import { useUserChange, useUserText } from '../../users/user-work.ts';

/** Ends all that a person is signed in with; their access tokens only where that is chosen. */
export function SignOutDialog({ user, open, onClose }: UserDialogProps & { user: { isActive: boolean } }) {
  const formId = useId();
  const toast = useToast();
  const [reason, setReason] = useUserText('signOut', { user, open }, 'reason', '');
  const [revokeTokens, setRevokeTokens] = useState(false);
  const signOut = useUserChange('signOut', user, {
    change: () => adminApi.signOutPerson({ params: { id: user.id }, body: { reason, revokeTokens } }),
    onDone: ({ browsers, apps, tokens }) => {
      const counted = (count: number, one: string) => `${formatCount(count)} ${one}${count === 1 ? '' : 's'}`;
      const ended = [
        counted(browsers, 'browser'),
        counted(apps, 'app'),
        ...(revokeTokens ? [counted(tokens, 'token')] : []),
      ];
      toast.success(`${user.email} is signed out: ${ended.join(', ')}.`);
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!signOut.isPending) signOut.mutate(undefined);
  };
  return (
    <FormDialog
      open={open}
      onClose={onClose}
      title="Sign out everywhere?"
      description={user.email}
      formId={formId}
      submitLabel="Sign out everywhere"
      variant="danger"
      busy={signOut.isPending}
    >
      <form id={formId} onSubmit={submit} noValidate className="flex flex-col gap-4">
        <div className="text-quiet">
          <p>Immediately:</p>
          <ul className="mt-1.5 flex list-disc flex-col gap-1 pl-5">
            <li>They are signed out of every browser.</li>
            <li>Their connected apps are disconnected, and running calls end.</li>
          </ul>
          <p className="mt-1.5">
            {user.isActive
              ? 'They can sign in and connect their apps again.'
              : "They can't sign in or connect apps while they are deactivated."}
          </p>
        </div>
        <Checkbox
          label="Revoke their access tokens too"
          hint="Scripts that use them stop working. They have to make new ones."
          checked={revokeTokens}
          onChange={setRevokeTokens}
        />
        <ReasonField value={reason} onChange={setReason} />
        <ActionFailure work="signOut" error={signOut.error} again={() => signOut.mutate(undefined)} />
      </form>
    </FormDialog>
  );
}
