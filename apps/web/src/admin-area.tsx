import './admin.css';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { AdminScreen, type AdminPartProps } from '#features/admin/admin-screen.tsx';
import { parseAdminSearch, personPartOf, type AdminSearch } from '#features/admin/admin-search.ts';
import { manifestCountsQuery } from '#features/admin/manifests/manifest-queries.ts';
import { manifestsWaiting } from '#features/admin/manifests/manifests-waiting.ts';
import { ManifestsTab } from '#features/admin/manifests/manifests-tab.tsx';
import { needsQuery } from '#features/admin/overview/needs-query.ts';
import { useSession } from '#features/identity/session/session-provider.tsx';
import { signInAgainByPopup, signInAgainInTab } from '#features/identity/sign-in/sign-in-again.ts';
import { ListSkeleton } from '#ui/state/list-skeleton.tsx';

/** Their code comes with them. */
const UsersTab = lazy(async () => ({ default: (await import('#features/admin/users/users-tab.tsx')).UsersTab }));
const OffersTab = lazy(async () => ({ default: (await import('#features/admin/offers/offers-tab.tsx')).OffersTab }));
const AuditTab = lazy(async () => ({ default: (await import('#features/admin/audit/audit-tab.tsx')).AuditTab }));
const PersonPage = lazy(async () => ({ default: (await import('#features/admin/person/person-page.tsx')).PersonPage }));
const AllowListTab = lazy(async () => ({
  default: (await import('#features/admin/allow-list/allow-list-tab.tsx')).AllowListTab,
}));
const OverviewTab = lazy(async () => ({
  default: (await import('#features/admin/overview/overview-tab.tsx')).OverviewTab,
}));
const SystemTab = lazy(async () => ({ default: (await import('#features/admin/system/system-tab.tsx')).SystemTab }));
const ServerPage = lazy(async () => ({ default: (await import('#features/admin/server/server-page.tsx')).ServerPage }));

const ImportPage = lazy(async () => ({ default: (await import('#features/admin/import/import-page.tsx')).ImportPage }));

const tabs = {
  manifests: (props: AdminPartProps) =>
    props.search.import !== undefined ? (
      <Suspense fallback={<ListSkeleton label="Loading the import…" />}>
        <ImportPage {...props} part={props.search.import} />
      </Suspense>
    ) : props.search.id === undefined ? (
      <ManifestsTab {...props} />
    ) : (
      <Suspense fallback={<ListSkeleton label="Loading the server…" />}>
        <ServerPage {...props} key={props.search.id} serverId={props.search.id} />
      </Suspense>
    ),
  users: (props: AdminPartProps) => (
    <Suspense fallback={<ListSkeleton label="Loading users…" />}>
      {props.search.user !== undefined && personPartOf(props.search) ? (
        <PersonPage {...props} key={props.search.user} personId={props.search.user} />
      ) : (
        <UsersTab {...props} />
      )}
    </Suspense>
  ),
  overview: (props: AdminPartProps) => (
    <Suspense fallback={<ListSkeleton label="Loading the overview…" />}>
      <OverviewTab {...props} />
    </Suspense>
  ),
  offers: (props: AdminPartProps) => (
    <Suspense fallback={<ListSkeleton label="Loading offers…" />}>
      <OffersTab {...props} />
    </Suspense>
  ),
  audit: (props: AdminPartProps) => (
    <Suspense fallback={<ListSkeleton label="Loading the audit log…" />}>
      <AuditTab {...props} />
    </Suspense>
  ),
  allowed: (props: AdminPartProps) => (
    <Suspense fallback={<ListSkeleton label="Loading the allow list…" />}>
      <AllowListTab {...props} />
    </Suspense>
  ),
  system: (props: AdminPartProps) => (
    <Suspense fallback={<ListSkeleton label="Loading the system…" />}>
      <SystemTab {...props} />
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
  const needs = useQuery(needsQuery(userId));
  const onSearchChange = (next: AdminSearch, how: 'push' | 'replace') =>
    void navigate({ to: '/admin', search: next, replace: how === 'replace', resetScroll: how === 'push' });
  return (
    <AdminScreen
      userId={userId}
      search={search}
      onSearchChange={onSearchChange}
      signInAgain={(way, onLate) => (way === 'tab' ? signInAgainInTab(session) : signInAgainByPopup(session, onLate))}
      waiting={{
        ...(counts.data && { manifests: manifestsWaiting(counts.data) }),
        ...(needs.data && { overview: { count: needs.data.waiting, text: 'What needs you' } }),
      }}
      tabs={tabs}
    />
  );
}
