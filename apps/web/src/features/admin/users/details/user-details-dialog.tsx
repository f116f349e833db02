import type { AdminUser } from '@souk/contract/admin/users.ts';
import { ApiError } from '@souk/contract/client.ts';
import ArrowRight from 'lucide-react/icons/arrow-right';
import { DelayedFallback } from '#ui/state/delayed-fallback.tsx';
import { Dialog } from '#ui/overlay/dialog.tsx';
import { EmptyState } from '#ui/state/empty-state.tsx';
import { LinkButton } from '#ui/link-button.tsx';
import { Skeleton } from '#ui/state/skeleton.tsx';
import { RetryBilling } from '../actions/retry-billing.tsx';
import { useUserBilling } from '../user-work.ts';
import { UserDetails } from './user-details.tsx';

/** Details of the user in the address, above any page of the list. */
export function UserDetailsDialog({
  userId,
  rows,
  open,
  onClose,
}: {
  userId: string;
  /** Users of the list behind, with more data. */
  rows: readonly AdminUser[];
  open: boolean;
  onClose: () => void;
}) {
  const listed = rows.find(({ id }) => id === userId);
  const billing = useUserBilling(userId, listed?.email);
  const { data, error } = billing;
  const user = data?.user;
  const isGone = error instanceof ApiError && error.code === 'not_found';
  return (
    <Dialog
      size="large"
      open={open}
      onOpenChange={onClose}
      // the e-mail address is among the facts
      title={isGone ? 'No such user' : ((user?.displayName || user?.email) ?? 'User details')}
    >
      {isGone ? (
        <EmptyState title="There is no such user" text="The account may have been erased since this link was made." />
      ) : (
        <div className="flex flex-col gap-6">
          <RetryBilling billing={billing} />
          {!data && !error && <Loading />}
          {data && (
            <LinkButton
              to="/admin"
              search={{ tab: 'users', user: userId, part: 'profile' }}
              size="small"
              className="self-start"
              icon={<ArrowRight aria-hidden size={15} />}
            >
              Open full page
            </LinkButton>
          )}
          {data && <UserDetails user={data.user} billing={data.billing} listed={listed} onErased={onClose} />}
        </div>
      )}
    </Dialog>
  );
}

function Loading() {
  return (
    <DelayedFallback label="Loading user details…">
      <div className="flex flex-col gap-6">
        <Skeleton className="h-24 w-full" />
        <Skeleton className="h-18 w-full" />
        <Skeleton className="h-40 w-full" />
      </div>
    </DelayedFallback>
  );
}
