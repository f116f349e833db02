import './admin.css';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { AdminScreen, type AdminAccess, type AdminPartProps } from '#features/admin/admin-screen.tsx';
import { parseAdminSearch, type AdminSearch } from '#features/admin/admin-search.ts';
import { manifestCountsQuery } from '#features/admin/manifests/manifest-queries.ts';
import { manifestsWaiting } from '#features/admin/manifests/manifests-waiting.ts';
import { ManifestsTab } from '#features/admin/manifests/manifests-tab.tsx';
import { SignInButton } from '#features/identity/header-account.tsx';
import { profileQuery } from '#features/identity/queries.ts';
import { RedirectHome } from '#features/identity/redirect-home.tsx';
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

/** The administrator area, composed from several features. Loaded when its address is opened. */
export function Admin() {
  // read here and not by the router, whose code everyone loads
  const search = parseAdminSearch(useSearch({ strict: false }));
  const navigate = useNavigate();
  const { session } = useSession();
  const access = useAdminAccess();
  const counts = useQuery({
    ...manifestCountsQuery(access.state === 'admin' ? access.userId : ''),
    enabled: access.state === 'admin',
  });
  const onSearchChange = (next: AdminSearch, how: 'push' | 'replace') =>
    void navigate({ to: '/admin', search: next, replace: how === 'replace', resetScroll: how === 'push' });
  return (
    <AdminScreen
      access={access}
      search={search}
      onSearchChange={onSearchChange}
      signInAgain={(way) => (way === 'tab' ? signInAgainInTab(session) : signInAgainByPopup(session))}
      signIn={<SignInButton />}
      redirectHome={<RedirectHome />}
      waiting={{ ...(counts.data && { manifests: manifestsWaiting(counts.data) }) }}
      tabs={tabs}
    />
  );
}

function useAdminAccess(): AdminAccess {
  const { user, isRestoring } = useSession();
  const profile = useQuery({ ...profileQuery(user?.id ?? ''), enabled: user !== undefined });
  if (!user) return { state: isRestoring ? 'checking' : 'visitor' };
  if (profile.data) return profile.data.role === 'admin' ? { state: 'admin', userId: user.id } : { state: 'other' };
  if (!profile.isError) return { state: 'checking' };
  return {
    state: 'failed',
    error: profile.error,
    retry: () => void profile.refetch(),
    retrying: profile.isFetching,
  };
}
