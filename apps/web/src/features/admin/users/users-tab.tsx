import type { AdminUser } from '@souk/contract/admin/users.ts';
import { useQuery } from '@tanstack/react-query';
import Users from 'lucide-react/icons/users';
import X from 'lucide-react/icons/x';
import { useEffect, useMemo, useState } from 'react';
import { counted, formatCount } from '#ui/text/amount.ts';
import { Button } from '#ui/button.tsx';
import { classNames } from '#ui/class-names.ts';
import { EachOpening } from '#ui/overlay/each-opening.tsx';
import { EmptyState } from '#ui/state/empty-state.tsx';
import { IconButton } from '#ui/icon-button.tsx';
import { ListSkeleton } from '#ui/state/list-skeleton.tsx';
import { Pagination } from '#ui/pagination.tsx';
import type { AdminPartProps } from '../admin-screen.tsx';
import type { AdminSearch } from '../admin-search.ts';
import { GrantDialogs, type AskedGrant } from './actions/grant-dialogs.tsx';
import { UserDetailsDialog } from './details/user-details-dialog.tsx';
import { FailureNotice } from './failure-notice.tsx';
import { UserFilters } from './user-filters.tsx';
import { useUserFailures } from './user-failures.ts';
import { usersQuery } from './user-queries.ts';
import { isFound } from './user-words.ts';
import { UserWorkContext } from './user-work.ts';
import { UsersTable, type RowAction } from './users-table.tsx';

/** The tab 'User Management' (spec part 2, section 2). */
export function UsersTab({ userId: adminId, search, onSearchChange, signInAgain }: AdminPartProps) {
  const { failure, report, clear } = useUserFailures();
  const users = useQuery(usersQuery(adminId, search));
  const { data, error, isFetching, isPlaceholderData, refetch } = users;
  useEffect(() => (error ? report('users', error) : clear('users')), [error, report, clear]);
  const [asked, setAsked] = useState<AskedGrant>();
  const work = useMemo(() => ({ adminId, report, clear, signInAgain }), [adminId, report, clear, signInAgain]);
  const isPastEnd = data !== undefined && data.pagination.page > data.pagination.pages;
  const change = (part: AdminSearch, how: 'push' | 'replace') => onSearchChange({ ...search, ...part }, how);
  const act = (action: RowAction, user: AdminUser) =>
    action === 'details' ? change({ user: user.id }, 'push') : setAsked({ action, user });
  return (
    <UserWorkContext value={work}>
      <div className="flex flex-col gap-4">
        <UserFilters search={search} onChange={change} />
        {failure && (
          <FailureNotice
            {...failure}
            action={
              failure.work === 'users' ? (
                <Button size="small" loading={isFetching} onClick={() => void refetch()}>
                  Retry
                </Button>
              ) : (
                <IconButton
                  size="small"
                  label="Dismiss"
                  icon={<X aria-hidden size={15} />}
                  onClick={() => clear(failure.work)}
                />
              )
            }
          />
        )}
        {!data && !error && <ListSkeleton label="Loading users…" rows={8} />}
        {data && (
          <>
            <p aria-live="polite" className="flex flex-wrap justify-between gap-x-4 text-quiet tabular-nums">
              <span>{countText(data)}</span>
              {isNarrowed(search) && <span>{counted(data.pagination.total, 'user matches', 'users match')}</span>}
            </p>
            <div className={classNames('transition-opacity', isPlaceholderData && 'opacity-60')}>
              <Rows users={data.users} isPastEnd={isPastEnd} search={search} onChange={change} onAction={act} />
            </div>
            {!isPastEnd && (
              <Pagination
                always
                words="Showing page"
                label="Users"
                page={data.pagination.page}
                pageCount={data.pagination.pages}
                onChange={(page) => change({ page: page === 1 ? undefined : page, q: undefined }, 'push')}
              />
            )}
          </>
        )}
      </div>
      <EachOpening asked={search.user}>
        {(id, open) => (
          <UserDetailsDialog
            userId={id}
            rows={data?.users ?? []}
            open={open}
            onClose={() => change({ user: undefined }, 'replace')}
          />
        )}
      </EachOpening>
      <GrantDialogs asked={asked} onClose={() => setAsked(undefined)} />
    </UserWorkContext>
  );
}

/** Counts all users, also during a search (spec part 2, section 2). */
const countText = ({ all, active }: { all: number; active: number }) =>
  `${counted(all, 'user')} total • ${formatCount(active)} active`;

const isNarrowed = ({ all, role, active, plan }: AdminSearch) => [all, role, active, plan].some(Boolean);

function Rows({
  users,
  isPastEnd,
  search,
  onChange,
  onAction,
}: {
  users: readonly AdminUser[];
  isPastEnd: boolean;
  search: AdminSearch;
  onChange: (change: AdminSearch, how: 'push' | 'replace') => void;
  onAction: (action: RowAction, user: AdminUser) => void;
}) {
  const { q } = search;
  const found = q === undefined ? users : users.filter((user) => isFound(user, q));
  if (found.length > 0) return <UsersTable users={found} onAction={onAction} />;
  const go = (label: string, change: AdminSearch) => (
    <Button onClick={() => onChange({ q: undefined, page: undefined, ...change }, 'push')}>{label}</Button>
  );
  const icon = <Users aria-hidden />;
  if (users.length > 0) {
    return (
      <EmptyState
        icon={icon}
        title="No users on this page match your search."
        text="The box above searches this page only."
        actions={
          <>
            {go('Search all users', { all: q })}
            {go('Clear search', { page: search.page })}
          </>
        }
      />
    );
  }
  if (isPastEnd) {
    return <EmptyState icon={icon} title="This page is past the last one." actions={go('First page', {})} />;
  }
  return (
    <EmptyState
      icon={icon}
      title="No users found."
      text={isNarrowed(search) ? 'No user matches this search and these filters.' : undefined}
      actions={go('Show all users', { all: undefined, role: undefined, active: undefined, plan: undefined })}
    />
  );
}
