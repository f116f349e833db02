import { adminApi } from '../../admin-api.ts';
import type { UserDialogProps } from './form-dialog.tsx';
import { UserActionDialog } from './user-action-dialog.tsx';

export function ActivateDialog(props: UserDialogProps) {
  const { id, email } = props.user;
  return (
    <UserActionDialog
      {...props}
      work="activate"
      title="Reactivate user?"
      submitLabel="Reactivate user"
      change={(reason) => adminApi.activateUser({ params: { id }, body: { reason } })}
      onDone={({ result }, toast) =>
        toast.success(`${email} ${result === 'unchanged' ? 'was already active' : 'is active again'}.`)
      }
    >
      <ul className="flex list-disc flex-col gap-1 pl-5 text-quiet">
        <li>They can sign in again.</li>
        <li>Their access tokens work again, except those that were revoked or have expired.</li>
        <li>They have to connect their apps again.</li>
        <li>Plans and rentals that have ended stay ended.</li>
      </ul>
    </UserActionDialog>
  );
}
