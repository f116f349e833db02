import { ConnectPanel } from '#features/gateway/connect-panel.tsx';
import { DashboardScreen } from '#features/identity/dashboard-screen.tsx';

/** The dashboard with what other features put into it; loaded when somebody goes there. */
export function Dashboard() {
  return <DashboardScreen connectPanel={(userId) => <ConnectPanel userId={userId} />} />;
}
