import { EachOpening } from '#ui/overlay/each-opening.tsx';
import { AddSubscriptionDialog } from './add-subscription-dialog.tsx';
import { EditCreditsDialog } from './edit-credits-dialog.tsx';
import type { UserDialogProps } from './form-dialog.tsx';

export type AskedGrant = { action: 'credits' | 'subscription'; user: UserDialogProps['user'] };

export function GrantDialogs({ asked, onClose }: { asked: AskedGrant | undefined; onClose: () => void }) {
  return (
    <EachOpening asked={asked}>
      {({ action, user }, open) =>
        action === 'credits' ? (
          <EditCreditsDialog user={user} open={open} onClose={onClose} />
        ) : (
          <AddSubscriptionDialog user={user} open={open} onClose={onClose} />
        )
      }
    </EachOpening>
  );
}
