import { exportPerson } from '@souk/contract/admin/person.ts';
import { openStream } from '@souk/contract/client.ts';
import { saveFile } from '#ui/save-file.ts';
import { adminClientOptions } from '../../admin-api.ts';
import type { UserDialogProps } from '../../users/actions/form-dialog.tsx';
import { UserActionDialog } from '../../users/actions/user-action-dialog.tsx';

/** Saves the data of a user as a file. The answer is streamed into a blob, never held as text. */
export function ExportDialog(props: UserDialogProps) {
  const { id, email } = props.user;
  return (
    <UserActionDialog
      {...props}
      work="export"
      title="Export data"
      submitLabel="Export data"
      change={async (reason) => {
        const input = { params: { id }, body: { reason } };
        return new Response(await openStream(exportPerson, input, adminClientOptions, {})).blob();
      }}
      onDone={(file, toast) => {
        saveFile(`souk-user-${id}.json`, file, 'application/json');
        toast.success(`The data of ${email} is saved.`);
      }}
    >
      <p className="text-quiet">
        A JSON file with everything that is stored about this user. It doesn’t include secrets, or the arguments and
        results of calls. The audit log records the export.
      </p>
    </UserActionDialog>
  );
}
