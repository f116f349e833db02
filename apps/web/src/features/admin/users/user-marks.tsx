import type { AdminUser } from '@souk/contract/admin/users.ts';
import { Badge } from '#ui/state/badge.tsx';
import { Day, DayAndTime } from '#ui/text/moment.tsx';
import { StatusBadge } from '#ui/state/status-badge.tsx';

const mostInitials = 4;

/** Initials of the services that a user has connected. */
export function Connected({ ids }: { ids: readonly string[] }) {
  if (ids.length === 0) return <span className="whitespace-nowrap text-quiet">No OAuth</span>;
  return (
    <span className="inline-flex items-center gap-1" title={ids.join(', ')}>
      <span className="sr-only">Connected: {ids.join(', ')}</span>
      {ids.slice(0, mostInitials).map((id) => (
        <span
          key={id}
          aria-hidden
          className="inline-flex size-5.5 shrink-0 items-center justify-center rounded-full border border-line bg-sunken text-xs font-medium"
        >
          {[...id][0]?.toUpperCase()}
        </span>
      ))}
      {ids.length > mostInitials && (
        <span aria-hidden className="text-xs text-quiet">
          +{ids.length - mostInitials}
        </span>
      )}
    </span>
  );
}

export function RoleBadge({ role }: { role: AdminUser['role'] }) {
  return <Badge tone={role === 'admin' ? 'accent' : 'neutral'}>{role === 'admin' ? 'Admin' : 'User'}</Badge>;
}

export function ActiveBadge({ isActive }: { isActive: boolean }) {
  return (
    <StatusBadge status={isActive ? 'Active' : 'Inactive'} tone={isActive ? 'good' : 'bad'} quiet>
      {isActive ? 'Active' : 'Inactive'}
    </StatusBadge>
  );
}

export function LastLogin({ moment }: { moment: string | null }) {
  return moment === null ? <span className="text-quiet">Never</span> : <DayAndTime moment={moment} />;
}

/** The last login without its time, which is in the tooltip. */
export function LastLoginDay({ moment }: { moment: string | null }) {
  return moment === null ? <span className="text-quiet">Never</span> : <Day moment={moment} />;
}
