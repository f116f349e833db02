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

/** Shutting a user out, letting them in again, and erasing them. Not for one's own account. */
export function AccountActions({ user, billing, onErased }: AccountActionsProps) {
  const [asked, setAsked] = useState<{ action: 'deactivate' | 'activate' | 'erase' }>();
  const close = () => setAsked(undefined);
  const of = (action: 'deactivate' | 'activate' | 'erase') => (asked?.action === action ? asked : undefined);
  return (
    <>
      <Part
        title="Account"
        action={
          user.isActive ? (
            <Button size="small" onClick={() => setAsked({ action: 'deactivate' })}>
              Deactivate user
            </Button>
          ) : (
            <Button size="small" onClick={() => setAsked({ action: 'activate' })}>
              Reactivate user
            </Button>
          )
        }
      >
        <p className="text-quiet">
          {user.isActive
            ? 'Deactivating shuts this user out immediately. You can reactivate them later.'
            : 'This user is deactivated: they cannot sign in, and their apps and tokens are refused.'}
        </p>
      </Part>
      <Part title="Danger zone">
        <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3 rounded-lg border border-bad px-3.5 py-3">
          <p className="min-w-0 flex-1 basis-60 text-quiet">
            Erasing deletes the account for good. Records of payments and credits stay, without a name.
          </p>
          <Button size="small" variant="danger" onClick={() => setAsked({ action: 'erase' })}>
            Erase user
          </Button>
        </div>
      </Part>
      <EachOpening asked={of('deactivate')}>
        {(_, open) => <DeactivateDialog user={user} billing={billing} open={open} onClose={close} />}
      </EachOpening>
      <EachOpening asked={of('activate')}>
        {(_, open) => <ActivateDialog user={user} open={open} onClose={close} />}
      </EachOpening>
      <EachOpening asked={of('erase')}>
        {(_, open) => <EraseDialog user={user} billing={billing} open={open} onClose={close} onErased={onErased} />}
      </EachOpening>
    </>
  );
}
