import type { AdminUser } from '@souk/contract/admin/users.ts';
import { useState } from 'react';
import { Button } from '#ui/button.tsx';
import { EachOpening } from '#ui/overlay/each-opening.tsx';
import { Facts } from '#ui/text/facts.tsx';
import { Ago } from '#ui/text/moment.tsx';
import { AddSubscriptionDialog } from '../users/actions/add-subscription-dialog.tsx';
import { EditCreditsDialog } from '../users/actions/edit-credits-dialog.tsx';
import { ActiveBadge, RoleBadge } from '../users/user-marks.tsx';

/** Who the person is, how they are, and what is done most often. */
export function PersonHead({ user, lastSeenAt }: { user: AdminUser; lastSeenAt: string | null }) {
  const [asked, setAsked] = useState<{ action: 'credits' | 'subscription' }>();
  const close = () => setAsked(undefined);
  return (
    <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-4">
      <div className="min-w-0 flex-1 basis-80">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <h2 className="text-xl/7 font-semibold tracking-tight wrap-anywhere">{user.displayName || user.email}</h2>
          <RoleBadge role={user.role} />
          <ActiveBadge isActive={user.isActive} />
        </div>
        <p className="mt-1 wrap-anywhere text-quiet">
          <Facts>
            {user.displayName !== '' && user.email}
            {lastSeenAt === null ? (
              'Never seen'
            ) : (
              <>
                Last seen <Ago moment={lastSeenAt} />
              </>
            )}
          </Facts>
        </p>
      </div>
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => setAsked({ action: 'credits' })}>Edit credits</Button>
        <Button onClick={() => setAsked({ action: 'subscription' })}>Add subscription</Button>
      </div>
      <EachOpening asked={asked?.action === 'credits' ? user : undefined}>
        {(shown, open) => <EditCreditsDialog user={shown} open={open} onClose={close} />}
      </EachOpening>
      <EachOpening asked={asked?.action === 'subscription' ? user : undefined}>
        {(shown, open) => <AddSubscriptionDialog user={shown} open={open} onClose={close} />}
      </EachOpening>
    </div>
  );
}
