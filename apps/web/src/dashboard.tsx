import type { McpService } from '@souk/contract/billing.ts';
import { MyServicesScreen } from '#features/billing/services/my-services-screen.tsx';
import { WaitingPrices } from '#features/billing/prices/waiting-prices.tsx';
import { AccountSummary } from '#features/billing/summary/account-summary.tsx';
import { BillingScreen } from '#features/billing/tab/billing-screen.tsx';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { DetailsButton } from '#features/catalogue/details-button.tsx';
import { ConnectionsScreen } from '#features/diagnostics/connections-screen.tsx';
import { ConnectPanel } from '#features/gateway/connect-panel.tsx';
import { ToolListChoice } from '#features/gateway/tool-list-choice.tsx';
import { ConnectedAppsScreen } from '#features/identity/connected-apps-screen.tsx';
import { DashboardScreen, type DashboardScreenProps } from '#features/identity/dashboard-screen.tsx';
import { dashboardTabs, parseDashboardSearch } from '#features/identity/dashboard-tabs.ts';
import { ProfileScreen } from '#features/identity/profile-screen.tsx';
import { TokensScreen } from '#features/identity/tokens-screen.tsx';
import { CardSwitch } from '#features/upstreams/card-switch.tsx';
import { UpstreamAccounts } from '#features/upstreams/upstream-accounts.tsx';
import { ListSkeleton } from '#ui/list-skeleton.tsx';
import { sells } from './config.ts';

/** Its code comes with the tab. */
const UsageScreen = lazy(async () => ({
  default: (await import('#features/usage/usage-screen.tsx')).UsageScreen,
}));

const detailsOf = ({ id, name, description }: McpService) => ({
  serverId: id,
  displayName: name,
  displayDescription: description,
});

const content: DashboardScreenProps['content'] = {
  connections: ({ id }) => (
    <ConnectionsScreen
      userId={id}
      connectPanel={
        <>
          <ConnectPanel userId={id} />
          <UpstreamAccounts userId={id} />
          <ToolListChoice userId={id} />
        </>
      }
    />
  ),
  services: ({ id: userId }) => (
    <MyServicesScreen
      userId={userId}
      controls={(service) => ({
        enable: <CardSwitch userId={userId} service={service} hasAccess={service.userAccess.hasAccess} />,
        details: <DetailsButton server={detailsOf(service)} />,
      })}
    />
  ),
  billing: ({ id }) => <BillingScreen userId={id} />,
  usage: ({ id }) => (
    <Suspense fallback={<ListSkeleton label="Loading your usage…" />}>
      <UsageScreen userId={id} />
    </Suspense>
  ),
  apps: ({ id }) => <ConnectedAppsScreen userId={id} />,
  tokens: ({ id }) => <TokensScreen userId={id} />,
  profile: (user) => <ProfileScreen user={user} />,
};

/** The dashboard, composed from several features. Loaded when its address is opened. */
export function Dashboard() {
  const { tab } = parseDashboardSearch(useSearch({ from: '/dashboard' }));
  const navigate = useNavigate({ from: '/dashboard' });
  return (
    <DashboardScreen
      tab={tab ?? dashboardTabs[0]}
      onTabChange={(next) => void navigate({ search: { tab: next }, replace: true, resetScroll: false })}
      summary={({ id }) => (
        <>
          <AccountSummary userId={id} />
          {sells && <WaitingPrices userId={id} />}
        </>
      )}
      content={content}
    />
  );
}
