import './admin.css';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Suspense, type ReactNode } from 'react';
import { AdminScreen, type AdminPartProps } from '#features/admin/admin-screen.tsx';
import { parseAdminSearch, personPartOf, type AdminSearch } from '#features/admin/admin-search.ts';
import { manifestCountsQuery } from '#features/admin/manifests/manifest-queries.ts';
import { manifestsWaiting } from '#features/admin/manifests/manifests-waiting.ts';
import { ManifestsTab } from '#features/admin/manifests/manifests-tab.tsx';
import { needsQuery } from '#features/admin/overview/needs-query.ts';
import { useSession } from '#features/identity/session/session-provider.tsx';
import { signInAgainByPopup, signInAgainInTab } from '#features/identity/sign-in/sign-in-again.ts';
import { ListSkeleton } from '#ui/state/list-skeleton.tsx';
import { lazyPart } from '#ui/lazy-part.ts';

const UsersTab = lazyPart(() => import('#features/admin/users/users-tab.tsx'), 'UsersTab');
const OffersTab = lazyPart(() => import('#features/admin/offers/offers-tab.tsx'), 'OffersTab');
const AuditTab = lazyPart(() => import('#features/admin/audit/audit-tab.tsx'), 'AuditTab');
const PersonPage = lazyPart(() => import('#features/admin/person/person-page.tsx'), 'PersonPage');
const AllowListTab = lazyPart(() => import('#features/admin/allow-list/allow-list-tab.tsx'), 'AllowListTab');
const OverviewTab = lazyPart(() => import('#features/admin/overview/overview-tab.tsx'), 'OverviewTab');
const SystemTab = lazyPart(() => import('#features/admin/system/system-tab.tsx'), 'SystemTab');
const ServerPage = lazyPart(() => import('#features/admin/server/server-page.tsx'), 'ServerPage');

const ImportPage = lazyPart(() => import('#features/admin/import/import-page.tsx'), 'ImportPage');

/** @param label read out while the part loads */
const loaded = (label: string, part: ReactNode) => (
  <Suspense fallback={<ListSkeleton label={label} />}>{part}</Suspense>
);

const tabs = {
  manifests(props: AdminPartProps) {
    const { import: part, id } = props.search;
    if (part !== undefined) return loaded('Loading the import…', <ImportPage {...props} part={part} />);
    if (id === undefined) return <ManifestsTab {...props} />;
    return loaded('Loading the server…', <ServerPage {...props} key={id} serverId={id} />);
  },
  users(props: AdminPartProps) {
    const { user } = props.search;
    const isPerson = user !== undefined && personPartOf(props.search);
    return loaded(
      'Loading users…',
      isPerson ? <PersonPage {...props} key={user} personId={user} /> : <UsersTab {...props} />,
    );
  },
  overview: (props: AdminPartProps) => loaded('Loading the overview…', <OverviewTab {...props} />),
  offers: (props: AdminPartProps) => loaded('Loading offers…', <OffersTab {...props} />),
  audit: (props: AdminPartProps) => loaded('Loading the audit log…', <AuditTab {...props} />),
  allowed: (props: AdminPartProps) => loaded('Loading the allow list…', <AllowListTab {...props} />),
  system: (props: AdminPartProps) => loaded('Loading the system…', <SystemTab {...props} />),
};

/** The administrator area, composed from several features. Loaded once the user is known to be an administrator. */
export function AdminArea({ userId }: { userId: string }) {
  // parsed here and not in the router, whose code everyone loads
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
