import type { AdminUser } from '@souk/contract/admin/users.ts';
import CirclePlus from 'lucide-react/icons/circle-plus';
import Coins from 'lucide-react/icons/coins';
import Eye from 'lucide-react/icons/eye';
import { preloadDialog } from '#ui/overlay/dialog.tsx';
import { IconButton } from '#ui/icon-button.tsx';
import { Day } from '#ui/text/moment.tsx';
import { Table, type TableColumn } from '#ui/table.tsx';
import { Provider } from './provider.tsx';
import { ActiveBadge, Connected, LastLoginDay, RoleBadge } from './user-marks.tsx';
import { connectedOf, nameOf } from './user-words.ts';

/** Actions on a row (spec part 2, section 2). */
export type RowAction = 'details' | 'credits' | 'subscription';

const facts: readonly TableColumn<AdminUser>[] = [
  { id: 'provider', header: 'Provider', wideOnly: true, cell: ({ provider }) => <Provider id={provider} /> },
  { id: 'oauth', header: 'OAuth', wideOnly: true, cell: (user) => <Connected ids={connectedOf(user)} /> },
  { id: 'role', header: 'Role', wideOnly: true, cell: ({ role }) => <RoleBadge role={role} /> },
  { id: 'active', header: 'Status', wideOnly: true, cell: ({ isActive }) => <ActiveBadge isActive={isActive} /> },
  { id: 'created', header: 'Created', wideOnly: true, cell: ({ createdAt }) => <Day moment={createdAt} /> },
  {
    id: 'login',
    header: 'Last login',
    wideOnly: true,
    cell: ({ lastLoginAt }) => <LastLoginDay moment={lastLoginAt} />,
  },
];

export type UsersTableProps = {
  users: readonly AdminUser[];
  onAction: (action: RowAction, user: AdminUser) => void;
};

/** A page of users. On a phone, the most important facts are below the name, and the others in the details. */
export function UsersTable({ users, onAction }: UsersTableProps) {
  const columns: TableColumn<AdminUser>[] = [
    { id: 'user', header: 'User', rowHeader: true, cell: (user) => <UserCell user={user} onAction={onAction} /> },
    ...facts,
    { id: 'do', header: 'Actions', hideHeader: true, cell: (user) => <Actions user={user} onAction={onAction} /> },
  ];
  return <Table caption="Users" columns={columns} rows={users} rowKey={({ id }) => id} />;
}

function UserCell({ user, onAction }: { user: AdminUser; onAction: UsersTableProps['onAction'] }) {
  const { displayName } = user;
  // the specification's name of a user, with the display name beside it
  const name = nameOf(user);
  return (
    <div className="max-w-44 min-w-0 sm:max-w-56">
      <div className="flex flex-wrap items-baseline gap-x-2 sm:flex-nowrap">
        <button
          type="button"
          title={name}
          onPointerEnter={preloadDialog}
          onClick={() => onAction('details', user)}
          className="min-h-6 max-w-full min-w-0 rounded-sm text-left max-sm:wrap-anywhere sm:truncate font-medium hover:underline"
        >
          {name}
        </button>
        {displayName !== '' && displayName !== name && displayName !== user.email && (
          <span dir="auto" title={displayName} className="min-w-0 font-normal max-sm:wrap-anywhere sm:truncate">
            {displayName}
          </span>
        )}
      </div>
      <div className="text-[0.8125rem] font-normal text-quiet max-sm:wrap-anywhere sm:truncate" title={user.email}>
        {user.email}
      </div>
      <div className="mt-1 flex flex-wrap items-center gap-x-2.5 gap-y-1 text-[0.8125rem] font-normal text-quiet sm:hidden">
        {user.role === 'admin' && <RoleBadge role={user.role} />}
        <ActiveBadge isActive={user.isActive} />
        <Provider id={user.provider} />
        <span className="basis-full">
          Last login <LastLoginDay moment={user.lastLoginAt} />
        </span>
      </div>
    </div>
  );
}

function Actions({ user, onAction }: { user: AdminUser; onAction: UsersTableProps['onAction'] }) {
  const actions = [
    { action: 'details', label: 'View details', Icon: Eye },
    { action: 'credits', label: 'Edit credits', Icon: Coins },
    { action: 'subscription', label: 'Add subscription', Icon: CirclePlus },
  ] as const;
  return (
    <span className="-mr-2 flex justify-end">
      {actions.map(({ action, label, Icon }) => (
        <IconButton
          key={action}
          label={`${label}: ${user.email}`}
          icon={<Icon aria-hidden size={17} />}
          onPointerEnter={preloadDialog}
          onClick={() => onAction(action, user)}
        />
      ))}
    </span>
  );
}
