import type { UserBilling } from '@souk/contract/admin/billing.ts';
import type { AdminUser } from '@souk/contract/admin/users.ts';
import { useState } from 'react';
import { Button } from '#ui/button.tsx';
import { EachOpening } from '#ui/overlay/each-opening.tsx';
import { AccountActions } from '../../users/details/account-actions.tsx';
import { Part } from '../../users/details/part.tsx';
import { UserFacts } from '../../users/details/user-facts.tsx';
import { ExportDialog } from './export-dialog.tsx';
import { SignOutDialog } from './sign-out-dialog.tsx';

export function ProfilePart({
  adminId,
  user,
  billing,
  onErased,
}: {
  adminId: string;
  user: AdminUser;
  billing: UserBilling;
  onErased: () => void;
}) {
  const [asked, setAsked] = useState<'sign-out' | 'export'>();
  const isOwn = user.id === adminId;
  return (
    <div className="flex flex-col gap-6">
      <UserFacts user={user} listed={user} />
      {!isOwn && (
        <Part
          title="Sign-ins and apps"
          action={
            <Button size="small" onClick={() => setAsked('sign-out')}>
              Sign out everywhere
            </Button>
          }
        >
          <p className="text-quiet">
            Signs this user out of every browser and disconnects their apps.{' '}
            {user.isActive ? 'They can sign in again.' : "They can't sign in again while they are deactivated."}
          </p>
        </Part>
      )}
      <Part
        title="Data"
        action={
          <Button size="small" onClick={() => setAsked('export')}>
            Export data
          </Button>
        }
      >
        <p className="text-quiet">Everything that is stored about this user, the same as in their own export.</p>
      </Part>
      {isOwn ? (
        <Part title="Account">
          <p className="text-quiet">This is your own account: you cannot sign it out, deactivate or erase it here.</p>
        </Part>
      ) : (
        <AccountActions user={user} billing={billing} onErased={onErased} />
      )}
      <EachOpening asked={asked}>
        {(action, open) => {
          const dialog = { user, open, onClose: () => setAsked(undefined) };
          return action === 'export' ? <ExportDialog {...dialog} /> : <SignOutDialog {...dialog} />;
        }}
      </EachOpening>
    </div>
  );
}
