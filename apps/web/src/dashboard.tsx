import type { McpService } from '@souk/contract/billing/billing.ts';
import { MyServicesScreen } from '#features/billing/services/my-services-screen.tsx';
import { CreditWorth } from '#features/billing/plans/credit-worth.tsx';
import { WaitingPrices } from '#features/billing/prices/waiting-prices.tsx';
import { AccountSummary } from '#features/billing/summary/account-summary.tsx';
import { LostWithAccount } from '#features/billing/account/lost-with-account.tsx';
import { BillingScreen } from '#features/billing/tab/billing-screen.tsx';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Suspense, type ReactNode } from 'react';
import { DetailsButton } from '#features/catalogue/details-button.tsx';
import { ConnectionsScreen } from '#features/diagnostics/connections-screen.tsx';
import { ConnectPanel } from '#features/gateway/connect-panel.tsx';
import { ToolListChoice } from '#features/gateway/tool-list-choice.tsx';
import { ConnectedAppsScreen } from '#features/identity/connected-apps/connected-apps-screen.tsx';
import { DashboardScreen, type DashboardScreenProps } from '#features/identity/dashboard-screen.tsx';
import { ConnectionParts } from '#features/identity/connected-apps/connection-parts.tsx';
import {
  connectionSearch,
  parseDashboardSearch,
  type ConnectionPart,
  type DashboardSearch,
} from '#features/identity/dashboard-tabs.ts';
import { ProfileScreen } from '#features/identity/profile-screen.tsx';
import { useSession } from '#features/identity/session/session-provider.tsx';
import { TokensScreen } from '#features/identity/tokens/tokens-screen.tsx';
import { AccountHint } from '#features/upstreams/account-hint.tsx';
import { CardSwitch } from '#features/upstreams/card-switch.tsx';
import { LostFiles } from '#features/upstreams/files/lost-files.tsx';
import { useAreAccountsPending, useMissingAccounts } from '#features/upstreams/missing-account.ts';
import { UpstreamAccounts } from '#features/upstreams/upstream-accounts.tsx';
import { ListSkeleton } from '#ui/state/list-skeleton.tsx';
import { lazyPart } from '#ui/lazy-part.ts';
import { sells } from './config.ts';
import { useOpeningTab } from './navigation/opening-tab.ts';
import { useSectionOfHash } from './navigation/section-of-hash.ts';
import type { ServicesSearch } from './navigation/services-search.ts';

const UsageScreen = lazyPart(() => import('#features/usage/usage-screen.tsx'), 'UsageScreen');

const NoticesSection = lazyPart(() => import('#features/notices/notices-section.tsx'), 'NoticesSection');

const detailsOf = ({ id, name, description }: McpService) => ({
  serverId: id,
  displayName: name,
  displayDescription: description,
});

const connectionContent: Readonly<Record<ConnectionPart, (userId: string) => ReactNode>> = {
  link: (userId) => (
    <ConnectionsScreen
      userId={userId}
      connectPanel={
        <>
          <ConnectPanel userId={userId} />
          <UpstreamAccounts userId={userId} />
          <ToolListChoice userId={userId} />
        </>
      }
    />
  ),
  apps: (userId) => <ConnectedAppsScreen userId={userId} />,
  tokens: (userId) => <TokensScreen userId={userId} />,
};

function OwnServices({ userId, ...list }: { userId: string } & Pick<ContentParts, 'search' | 'onSearch'>) {
  return (
    <MyServicesScreen
      userId={userId}
      {...list}
      missingAccounts={useMissingAccounts(userId)}
      isLoading={useAreAccountsPending(userId)}
      controls={(service) => ({
        enable: <CardSwitch userId={userId} service={service} hasAccess={service.userAccess.hasAccess} />,
        details: <DetailsButton server={detailsOf(service)} />,
        account: service.enabled && <AccountHint userId={userId} service={service} />,
      })}
    />
  );
}

type ContentParts = {
  search: ServicesSearch;
  onSearch: (next: ServicesSearch) => void;
  part: ConnectionPart;
  onPart: (next: ConnectionPart) => void;
};

const contentOf = ({ search, onSearch, part, onPart }: ContentParts): DashboardScreenProps['content'] => ({
  services: ({ id: userId }) => <OwnServices userId={userId} search={search} onSearch={onSearch} />,
  billing: ({ id }) => <BillingScreen userId={id} />,
  usage: ({ id }) => (
    <Suspense fallback={<ListSkeleton label="Loading your usage…" isScreen />}>
      <UsageScreen
        userId={id}
        creditWorth={sells && <CreditWorth className="-mt-2 text-[0.8125rem] text-quiet tabular-nums" />}
      />
    </Suspense>
  ),
  connections: ({ id }) => (
    <ConnectionParts part={part} onPartChange={onPart} content={(shown) => connectionContent[shown](id)} />
  ),
  profile: (user) => (
    <ProfileScreen
      user={user}
      emails={
        <Suspense fallback={<ListSkeleton label="Loading your e-mails…" rows={5} />}>
          <NoticesSection userId={user.id} />
        </Suspense>
      }
      losses={<LostWithAccount userId={user.id} />}
      files={<LostFiles userId={user.id} />}
    />
  ),
});

/** The dashboard, composed from several features. Loaded when its address is opened. */
export function Dashboard() {
  const { tab, part = 'link', ...search } = parseDashboardSearch(useSearch({ from: '/dashboard' }));
  useSectionOfHash();
  const { user } = useSession();
  const openingTab = useOpeningTab(tab === undefined ? user?.id : undefined);
  const navigate = useNavigate({ from: '/dashboard' });
  const show = (next: DashboardSearch) => void navigate({ search: next, replace: true, resetScroll: false });
  return (
    <DashboardScreen
      tab={tab ?? openingTab}
      onTabChange={(next) => show({ tab: next })}
      summary={({ id }) => (
        <>
          <AccountSummary userId={id} />
          {sells && <WaitingPrices userId={id} />}
        </>
      )}
      content={contentOf({
        search,
        onSearch: (next) => show({ tab: 'services', ...next }),
        part,
        onPart: (next) => show(connectionSearch(next)),
      })}
    />
  );
}
