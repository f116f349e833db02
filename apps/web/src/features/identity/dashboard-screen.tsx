import { useNavigate } from '@tanstack/react-router';
import { useEffect, type ReactNode } from 'react';
import { DelayedFallback } from '#ui/delayed-fallback.tsx';
import { ScreenHeading } from '#ui/screen-heading.tsx';
import { ScreenTitle } from '#ui/screen-title.tsx';
import { Skeleton } from '#ui/skeleton.tsx';
import { useSession } from './session-provider.tsx';
import { TokensScreen } from './tokens-screen.tsx';

export type DashboardScreenProps = {
  /** Stands above everything: how to connect a client. Gets the user's id. */
  connectPanel?: ((userId: string) => ReactNode) | undefined;
};

/** /dashboard, first version: the link and the access tokens. Without a user it goes home (spec part 2, section 2). */
export function DashboardScreen({ connectPanel }: DashboardScreenProps) {
  const { user, isRestoring } = useSession();
  if (isRestoring) return <DashboardSkeleton />;
  if (!user) return <RedirectHome />;
  const who = user.displayName ? `${user.displayName} · ${user.email}` : user.email;
  return (
    <>
      <ScreenTitle title="Dashboard" />
      <ScreenHeading title="Dashboard" subtitle={who} />
      <div className="flex flex-col gap-10">
        {connectPanel?.(user.id)}
        <TokensScreen userId={user.id} />
      </div>
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
      <Skeleton className="mt-8 h-56 w-full" />
    </DelayedFallback>
  );
}
