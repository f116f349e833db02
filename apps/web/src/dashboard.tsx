import { MyServicesScreen } from '#features/billing/services/my-services-screen.tsx';
import { BillingScreen } from '#features/billing/tab/billing-screen.tsx';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { ConnectionsScreen } from '#features/diagnostics/connections-screen.tsx';
import { ConnectPanel } from '#features/gateway/connect-panel.tsx';
import { ToolListChoice } from '#features/gateway/tool-list-choice.tsx';
import { ConnectedAppsScreen } from '#features/identity/connected-apps-screen.tsx';
import { DashboardScreen, type DashboardScreenProps } from '#features/identity/dashboard-screen.tsx';
import { dashboardTabs, parseDashboardSearch } from '#features/identity/dashboard-tabs.ts';
import { ProfileScreen } from '#features/identity/profile-screen.tsx';
import { TokensScreen } from '#features/identity/tokens-screen.tsx';
import { UpstreamAccounts } from '#features/upstreams/upstream-accounts.tsx';

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
  services: ({ id }) => <MyServicesScreen userId={id} />,
  billing: ({ id }) => <BillingScreen userId={id} />,
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
      content={content}
    />
  );
}
