import type { AdminUser } from '@souk/contract/admin/users.ts';
import { useState } from 'react';
import { Button } from '#ui/button.tsx';
import { Facts } from '#ui/text/facts.tsx';
import { Ago } from '#ui/text/moment.tsx';
import { GrantDialogs, type AskedGrant } from '../users/actions/grant-dialogs.tsx';
import { ActiveBadge, RoleBadge } from '../users/user-marks.tsx';

export function PersonHead({ user, lastSeenAt }: { user: AdminUser; lastSeenAt: string | null }) {
  const [asked, setAsked] = useState<AskedGrant>();
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
        <Button onClick={() => setAsked({ action: 'credits', user })}>Edit credits</Button>
        <Button onClick={() => setAsked({ action: 'subscription', user })}>Add subscription</Button>
      </div>
      <GrantDialogs asked={asked} onClose={() => setAsked(undefined)} />
    </div>
  );
}
