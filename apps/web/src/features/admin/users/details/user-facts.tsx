import type { AdminUser } from '@souk/contract/admin/users.ts';
import type { ReactNode } from 'react';
import { CopyButton } from '#ui/text/copy-button.tsx';
import { Day } from '#ui/text/moment.tsx';
import type { BillingUser } from '../owned.ts';
import { Provider } from '../provider.tsx';
import { ActiveBadge, Connected, LastLogin, RoleBadge } from '../user-marks.tsx';
import { connectedOf } from '../user-words.ts';

/** Facts about a user. The sign-in data is only known if they are in the list behind. */
export function UserFacts({ user, listed }: { user: BillingUser; listed: AdminUser | undefined }) {
  const facts: { name: string; value: ReactNode }[] = [
    { name: 'Email', value: user.email },
    { name: 'Display name', value: user.displayName || 'None' },
    { name: 'Created', value: <Day moment={user.createdAt} /> },
    {
      name: 'Role and status',
      value: (
        <span className="flex flex-wrap items-center gap-2">
          <RoleBadge role={user.role} />
          <ActiveBadge isActive={user.isActive} />
        </span>
      ),
    },
    ...(listed
      ? [
          { name: 'Provider', value: <Provider id={listed.provider} /> },
          { name: 'OAuth', value: <Connected ids={connectedOf(listed)} /> },
          { name: 'Last login', value: <LastLogin moment={listed.lastLoginAt} /> },
        ]
      : []),
  ];
  return (
    <dl className="grid grid-cols-2 gap-x-6 gap-y-4 sm:grid-cols-3">
      {facts.map(({ name, value }) => (
        <div key={name} className="min-w-0">
          <dt className="text-[0.8125rem] text-quiet">{name}</dt>
          <dd className="mt-0.5 wrap-anywhere">{value}</dd>
        </div>
      ))}
      <div className="col-span-full min-w-0">
        <dt className="text-[0.8125rem] text-quiet">User ID</dt>
        <dd className="mt-0.5 flex items-center gap-2">
          <code className="min-w-0 font-mono text-[0.8125rem] wrap-anywhere">{user.id}</code>
          <CopyButton text={user.id} size="small" variant="ghost" name="Copy user ID" />
        </dd>
      </div>
    </dl>
  );
}
