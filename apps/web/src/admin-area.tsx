import './admin.css';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { AdminScreen, type AdminPartProps } from '#features/admin/admin-screen.tsx';
import { parseAdminSearch, type AdminSearch } from '#features/admin/admin-search.ts';
import { manifestCountsQuery } from '#features/admin/manifests/manifest-queries.ts';
import { manifestsWaiting } from '#features/admin/manifests/manifests-waiting.ts';
import { ManifestsTab } from '#features/admin/manifests/manifests-tab.tsx';
import { useSession } from '#features/identity/session-provider.tsx';
import { signInAgainByPopup, signInAgainInTab } from '#features/identity/sign-in-again.ts';
import { ListSkeleton } from '#ui/list-skeleton.tsx';

/** Their code comes with them. */
const UsersTab = lazy(async () => ({ default: (await import('#features/admin/users/users-tab.tsx')).UsersTab }));
const ServerPage = lazy(async () => ({ default: (await import('#features/admin/server/server-page.tsx')).ServerPage }));

const tabs = {
  manifests: (props: AdminPartProps) =>
    props.search.id === undefined ? (
      <ManifestsTab {...props} />
    ) : (
      <Suspense fallback={<ListSkeleton label="Loading the server…" />}>
        <ServerPage {...props} key={props.search.id} serverId={props.search.id} />
      </Suspense>
    ),
  users: (props: AdminPartProps) => (
    <Suspense fallback={<ListSkeleton label="Loading users…" />}>
      <UsersTab {...props} />
    </Suspense>
  ),
};

/** The administrator area, composed from several features. Loaded once it is known that an administrator looks. */
export function AdminArea({ userId }: { userId: string }) {
  // read here and not by the router, whose code everyone loads
  const search = parseAdminSearch(useSearch({ strict: false }));
  const navigate = useNavigate();
  const { session } = useSession();
  const counts = useQuery(manifestCountsQuery(userId));
  const onSearchChange = (next: AdminSearch, how: 'push' | 'replace') =>
    void navigate({ to: '/admin', search: next, replace: how === 'replace', resetScroll: how === 'push' });
  return (
    <AdminScreen
      userId={userId}
      search={search}
      onSearchChange={onSearchChange}
      signInAgain={(way) => (way === 'tab' ? signInAgainInTab(session) : signInAgainByPopup(session))}
      waiting={{ ...(counts.data && { manifests: manifestsWaiting(counts.data) }) }}
      tabs={tabs}
    />
  );
}
