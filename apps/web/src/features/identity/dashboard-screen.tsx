import type { ReactNode } from 'react';
import { DelayedFallback } from '#ui/state/delayed-fallback.tsx';
import { ScreenHeading } from '#ui/text/screen-heading.tsx';
import { ScreenTitle } from '#ui/text/screen-title.tsx';
import { Skeleton } from '#ui/state/skeleton.tsx';
import { Tabs } from '#ui/tabs.tsx';
import { dashboardTabs, tabLabels, type DashboardTab } from './dashboard-tabs.ts';
import { RedirectHome } from './sign-in/redirect-home.tsx';
import { useSession } from './session/session-provider.tsx';
import type { SignedInUser } from './session/signed-in-user.ts';

export type DashboardScreenProps = {
  /** Undefined until the opening tab is known. */
  tab: DashboardTab | undefined;
  onTabChange: (tab: DashboardTab) => void;
  /** Shown between the heading and the tabs. */
  summary: (user: SignedInUser) => ReactNode;
  content: Readonly<Record<DashboardTab, (user: SignedInUser) => ReactNode>>;
};

/** /dashboard: the signed-in user's own pages, one per tab. Visitors are sent home (spec part 2, section 2). */
export function DashboardScreen({ tab, onTabChange, summary, content }: DashboardScreenProps) {
  const { user, isRestoring } = useSession();
  if (isRestoring) return <DashboardSkeleton />;
  if (!user) return <RedirectHome />;
  const who = user.displayName ? `${user.displayName} · ${user.email}` : user.email;
  return (
    <>
      <ScreenTitle title="Dashboard" />
      <ScreenHeading title="Dashboard" subtitle={who} />
      {summary(user)}
      {tab === undefined ? (
        <DelayedFallback label="Loading your dashboard…" isScreen>
          <TabsSkeleton />
        </DelayedFallback>
      ) : (
        <Tabs
          label="Dashboard"
          value={tab}
          onChange={onTabChange}
          items={dashboardTabs.map((value) => ({
            value,
            label: tabLabels[value],
            content: value === tab && content[value](user),
          }))}
        />
      )}
    </>
  );
}

function DashboardSkeleton() {
  return (
    <DelayedFallback label="Restoring your session…" isScreen>
      <Skeleton className="h-8 w-44" />
      <Skeleton className="mt-2 h-5 w-64" />
      <Skeleton className="mt-6 h-20.5 w-full max-sm:min-h-28" />
      <TabsSkeleton />
    </DelayedFallback>
  );
}

function TabsSkeleton() {
  return (
    <>
      <Skeleton className="mt-6 h-9 w-96 max-w-full" />
      <Skeleton className="mt-4 h-56 w-full" />
    </>
  );
}
