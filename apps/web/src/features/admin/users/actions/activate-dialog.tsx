import { useId, type FormEvent } from 'react';
import { useToast } from '#ui/overlay/use-toast.ts';
import { adminApi } from '../../admin-api.ts';
import { FailureNotice } from '../failure-notice.tsx';
import { useUserChange, useUserText } from '../user-work.ts';
import { FormDialog, type UserDialogProps } from './form-dialog.tsx';
import { ReasonField } from './reason-field.tsx';

/** Lets a deactivated user in again. */
export function ActivateDialog({ user, open, onClose }: UserDialogProps) {
  const formId = useId();
  const toast = useToast();
  const [reason, setReason] = useUserText('activate', { user, open }, 'reason', '');
  const activate = useUserChange('activate', user, {
    change: () => adminApi.activateUser({ params: { id: user.id }, body: { reason } }),
    onDone: ({ result }) => {
      toast.success(`${user.email} ${result === 'unchanged' ? 'was active already' : 'is active again'}.`);
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!activate.isPending) activate.mutate(undefined);
  };
  return (
    <FormDialog
      open={open}
      onClose={onClose}
      title="Reactivate user?"
      description={user.email}
      formId={formId}
      submitLabel="Reactivate user"
      busy={activate.isPending}
    >
      <form id={formId} onSubmit={submit} noValidate className="flex flex-col gap-4">
        <ul className="flex list-disc flex-col gap-1 pl-5 text-quiet">
          <li>They can sign in again.</li>
          <li>Their access tokens work again, except those that were revoked or have expired.</li>
          <li>They have to connect their apps again.</li>
          <li>Plans and rentals that have ended stay ended.</li>
        </ul>
        <ReasonField value={reason} onChange={setReason} />
        {activate.isError && <FailureNotice work="activate" error={activate.error} />}
      </form>
    </FormDialog>
  );
}
