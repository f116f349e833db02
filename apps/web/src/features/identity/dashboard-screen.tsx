import { useNavigate } from '@tanstack/react-router';
import { useEffect, type ReactNode } from 'react';
import { DelayedFallback } from '#ui/delayed-fallback.tsx';
import { ScreenHeading } from '#ui/screen-heading.tsx';
import { ScreenTitle } from '#ui/screen-title.tsx';
import { Skeleton } from '#ui/skeleton.tsx';
import { Tabs } from '#ui/tabs.tsx';
import { ConnectedAppsScreen } from './connected-apps-screen.tsx';
import { ConnectionsScreen } from './connections-screen.tsx';
import type { DashboardTab } from './dashboard-tabs.ts';
import { ProfileScreen } from './profile-screen.tsx';
import { useSession } from './session-provider.tsx';
import { TokensScreen } from './tokens-screen.tsx';

export type DashboardScreenProps = {
  tab: DashboardTab;
  onTabChange: (tab: DashboardTab) => void;
  /** How to connect a client: the top of the tab Connections. Gets the user's id. */
  connectPanel: (userId: string) => ReactNode;
};

/** /dashboard: a person's clients, tokens and profile, a tab each. Without a user it goes home (spec part 2, section 2). */
export function DashboardScreen({ tab, onTabChange, connectPanel }: DashboardScreenProps) {
  const { user, isRestoring } = useSession();
  if (isRestoring) return <DashboardSkeleton />;
  if (!user) return <RedirectHome />;
  const who = user.displayName ? `${user.displayName} · ${user.email}` : user.email;
  const userId = user.id;
  return (
    <>
      <ScreenTitle title="Dashboard" />
      <ScreenHeading title="Dashboard" subtitle={who} />
      <Tabs
        label="Dashboard"
        value={tab}
        onChange={onTabChange}
        items={[
          {
            value: 'connections',
            label: 'Connections',
            content: <ConnectionsScreen userId={userId} connectPanel={connectPanel(userId)} />,
          },
          { value: 'apps', label: 'Connected apps', content: <ConnectedAppsScreen userId={userId} /> },
          { value: 'tokens', label: 'Access tokens', content: <TokensScreen userId={userId} /> },
          { value: 'profile', label: 'Profile', content: <ProfileScreen user={user} /> },
        ]}
      />
    </>
  );
}

function RedirectHome() {
  const navigate = useNavigate();
  useEffect(() => void navigate({ to: '/', replace: true }), [navigate]);
  return (
    <p role="status" className="py-16 text-center text-quiet">
      Redirecting...
    </p>
  );
}

function DashboardSkeleton() {
  return (
    <DelayedFallback label="Looking for your session…">
      <Skeleton className="h-8 w-44" />
      <Skeleton className="mt-2 h-5 w-64" />
      <Skeleton className="mt-8 h-9 w-96 max-w-full" />
      <Skeleton className="mt-4 h-56 w-full" />
    </DelayedFallback>
  );
}
