import { exportPerson } from '@souk/contract/admin/person.ts';
import { openStream } from '@souk/contract/client.ts';
import { useId, type FormEvent } from 'react';
import { saveFile } from '#ui/save-file.ts';
import { useToast } from '#ui/overlay/use-toast.ts';
import { adminClientOptions } from '../../admin-api.ts';
import { ActionFailure } from '../../users/actions/action-failure.tsx';
import { FormDialog, type UserDialogProps } from '../../users/actions/form-dialog.tsx';
import { ReasonField } from '../../users/actions/reason-field.tsx';
import { useUserChange, useUserText } from '../../users/user-work.ts';

/** Saves what is stored about a person as a file. It is read as it comes, and never as a text in memory. */
export function ExportDialog({ user, open, onClose }: UserDialogProps) {
  const formId = useId();
  const toast = useToast();
  const [reason, setReason] = useUserText('export', { user, open }, 'reason', '');
  const take = useUserChange('export', user, {
    change: async () => {
      const input = { params: { id: user.id }, body: { reason } };
      return new Response(await openStream(exportPerson, input, adminClientOptions, {})).blob();
    },
    onDone: (file) => {
      saveFile(`souk-user-${user.id}.json`, file, 'application/json');
      toast.success(`The data of ${user.email} is saved.`);
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!take.isPending) take.mutate(undefined);
  };
  return (
    <FormDialog
      open={open}
      onClose={onClose}
      title="Export data"
      description={user.email}
      formId={formId}
      submitLabel="Export data"
      busy={take.isPending}
    >
      <form id={formId} onSubmit={submit} noValidate className="flex flex-col gap-4">
        <p className="text-quiet">
          A JSON file with everything that is stored about this user. Secrets, and what calls asked and answered, are
          not in it. The audit log keeps that you took it.
        </p>
        <ReasonField value={reason} onChange={setReason} />
        <ActionFailure work="export" error={take.error} again={() => take.mutate(undefined)} />
      </form>
    </FormDialog>
  );
}
