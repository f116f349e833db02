import { useState } from 'react';
import { Checkbox } from '#ui/form/checkbox.tsx';
import { counted } from '#ui/text/amount.ts';
import { adminApi } from '../../admin-api.ts';
import type { UserDialogProps } from '../../users/actions/form-dialog.tsx';
import { UserActionDialog } from '../../users/actions/user-action-dialog.tsx';

/** Signs a user out of everything; their access tokens are revoked only if chosen. */
export function SignOutDialog({ user, ...dialog }: UserDialogProps & { user: { isActive: boolean } }) {
  const [revokeTokens, setRevokeTokens] = useState(false);
  return (
    <UserActionDialog
      {...dialog}
      user={user}
      work="signOut"
      title="Sign out everywhere?"
      submitLabel="Sign out everywhere"
      variant="danger"
      change={(reason) => adminApi.signOutPerson({ params: { id: user.id }, body: { reason, revokeTokens } })}
      onDone={({ browsers, apps, tokens }, toast) => {
        const ended = [
          counted(browsers, 'browser'),
          counted(apps, 'app'),
          ...(revokeTokens ? [counted(tokens, 'token')] : []),
        ];
        toast.success(`${user.email} is signed out: ${ended.join(', ')}.`);
      }}
    >
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
        hint="Scripts that use them stop working until the user creates new ones."
        checked={revokeTokens}
        onChange={setRevokeTokens}
      />
    </UserActionDialog>
  );
}
