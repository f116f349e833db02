import type { UserBilling } from '@souk/contract/admin/billing.ts';
import { useState } from 'react';
import { Button } from '#ui/button.tsx';
import { EachOpening } from '#ui/overlay/each-opening.tsx';
import { ActivateDialog } from '../actions/activate-dialog.tsx';
import { DeactivateDialog } from '../actions/deactivate-dialog.tsx';
import { EraseDialog } from '../actions/erase-dialog.tsx';
import type { BillingUser } from '../owned.ts';
import { Part } from './part.tsx';

export type AccountActionsProps = { user: BillingUser; billing: UserBilling; onErased: () => void };

/** Deactivates, reactivates or erases a user. Not for the administrator's own account. */
export function AccountActions({ user, billing, onErased }: AccountActionsProps) {
  const [asked, setAsked] = useState<'deactivate' | 'activate' | 'erase'>();
  return (
    <>
      <Part
        title="Account"
        action={
          <Button size="small" onClick={() => setAsked(user.isActive ? 'deactivate' : 'activate')}>
            {user.isActive ? 'Deactivate user' : 'Reactivate user'}
          </Button>
        }
      >
        <p className="text-quiet">
          {user.isActive
            ? 'Deactivating blocks this user immediately. You can reactivate them later.'
            : 'This user is deactivated: they cannot sign in, and their apps and tokens are refused.'}
        </p>
      </Part>
      <Part title="Danger zone">
        <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3 rounded-lg border border-bad px-3.5 py-3">
          <p className="min-w-0 flex-1 basis-60 text-quiet">
            Erasing deletes the account for good. Records of payments and credits stay, without a name.
          </p>
          <Button size="small" variant="danger" onClick={() => setAsked('erase')}>
            Erase user
          </Button>
        </div>
      </Part>
      <EachOpening asked={asked}>
        {(action, open) => {
          const dialog = { user, open, onClose: () => setAsked(undefined) };
          if (action === 'activate') return <ActivateDialog {...dialog} />;
          if (action === 'deactivate') return <DeactivateDialog {...dialog} billing={billing} />;
          return <EraseDialog {...dialog} billing={billing} onErased={onErased} />;
        }}
      </EachOpening>
    </>
  );
}
