import { useNavigate, useSearch } from '@tanstack/react-router';
import { OwnSignIns } from '#features/connections/own-sign-ins.tsx';
import { ConnectPanel } from '#features/gateway/connect-panel.tsx';
import { ToolListChoice } from '#features/gateway/tool-list-choice.tsx';
import { DashboardScreen } from '#features/identity/dashboard-screen.tsx';
import { dashboardTabs, parseDashboardSearch } from '#features/identity/dashboard-tabs.ts';

/** The dashboard with what other features put into it; loaded when somebody goes there. */
export function Dashboard() {
  const { tab } = parseDashboardSearch(useSearch({ from: '/dashboard' }));
  const navigate = useNavigate({ from: '/dashboard' });
  return (
    <DashboardScreen
      tab={tab ?? dashboardTabs[0]}
      onTabChange={(next) => void navigate({ search: { tab: next }, replace: true, resetScroll: false })}
      connectPanel={(userId) => (
        <>
          <ConnectPanel userId={userId} />
          <OwnSignIns userId={userId} />
          <ToolListChoice userId={userId} />
        </>
      )}
    />
  );
}
