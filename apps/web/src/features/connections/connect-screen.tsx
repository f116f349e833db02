import { useQuery } from '@tanstack/react-query';
import { useEffect, useState, type ReactNode } from 'react';
import { Button } from '#ui/button.tsx';
import { Card } from '#ui/card.tsx';
import { DelayedFallback } from '#ui/delayed-fallback.tsx';
import { EmptyState } from '#ui/empty-state.tsx';
import { ErrorState } from '#ui/error-state.tsx';
import { LinkButton } from '#ui/link-button.tsx';
import { ScreenHeading } from '#ui/screen-heading.tsx';
import { ScreenTitle } from '#ui/screen-title.tsx';
import { Skeleton } from '#ui/skeleton.tsx';
import { BreakableName } from './breakable-name.tsx';
import { failureText } from './connection-texts.ts';
import { serverAccessQuery, serversQuery, upstreamConnectionsQuery } from './connections-api.ts';
import { ServerSwitch } from './server-switch.tsx';
import { UpstreamConnectionCard } from './upstream-connection-card.tsx';

export type ConnectUser = { id: string; email: string; displayName: string };

export type ConnectScreenProps = {
  serverId: string;
  user: ConnectUser | undefined;
  isRestoring: boolean;
  /** Leaves for the sign-in of this product and comes back here. */
  onSignIn: () => Promise<void>;
  onSignOut: () => Promise<void>;
};

/** /connect/{serverId}: one person's own connection to one server. Links to it are sent into conversations. */
export function ConnectScreen({ serverId, user, isRestoring, onSignIn, onSignOut }: ConnectScreenProps) {
  return (
    <div className="mx-auto flex max-w-2xl flex-col gap-4">
      <ScreenTitle title="Connect a service" />
      {isRestoring ? (
        <ConnectSkeleton />
      ) : user ? (
        <Connection serverId={serverId} user={user} onSignOut={onSignOut} />
      ) : (
        <SignInFirst onSignIn={onSignIn} />
      )}
    </div>
  );
}

function SignInFirst({ onSignIn }: { onSignIn: () => Promise<void> }) {
  const [failure, setFailure] = useState<string>();
  const [leaving, setLeaving] = useState(false);
  const leave = () => {
    setFailure(undefined);
    setLeaving(true);
    onSignIn().catch((error: unknown) => {
      setLeaving(false);
      setFailure(failureText(error));
    });
  };
  // once, and at once: whoever follows a link to here wants in
  useEffect(leave, []); // oxlint-disable-line react-hooks/exhaustive-deps -- not again when a prop is a new function
  if (failure !== undefined) {
    return (
      <WithoutService>
        <ErrorState
          title="Authentication required. Please log in."
          text={failure}
          onRetry={leave}
          retrying={leaving}
          retryLabel="Sign In"
        />
      </WithoutService>
    );
  }
  return (
    <WithoutService>
      <p role="status" className="py-16 text-center text-quiet">
        Redirecting…
      </p>
    </WithoutService>
  );
}

function Connection({
  serverId,
  user,
  onSignOut,
}: Pick<ConnectScreenProps, 'serverId' | 'onSignOut'> & { user: ConnectUser }) {
  const servers = useQuery(serversQuery);
  const connections = useQuery(upstreamConnectionsQuery(user.id));
  const access = useQuery(serverAccessQuery(user.id, serverId));
  const server = servers.data?.servers.find((one) => one.serverId === serverId);
  // before anything that failed: what is asked of a service that there is not, fails
  if (servers.data && !server) {
    return (
      <WithoutService>
        <EmptyState
          title={`There is no service “${serverId}”`}
          text="It may have been removed, or the link may be incomplete."
          actions={<LinkButton to="/marketplace">Go to the marketplace</LinkButton>}
        />
      </WithoutService>
    );
  }
  const failed = [servers, connections, access].find(({ isError }) => isError);
  if (failed) {
    return (
      <WithoutService>
        <ErrorState
          title="This service cannot be shown"
          text={failureText(failed.error)}
          retrying={failed.isFetching}
          onRetry={() => void Promise.all([servers.refetch(), connections.refetch(), access.refetch()])}
        />
      </WithoutService>
    );
  }
  if (!server || !connections.data || !access.data) return <ConnectSkeleton />;
  const { displayName: name } = server;
  const { entitled, enabled } = access.data;
  const connection = connections.data.connections.find((one) => one.serverId === serverId);
  return (
    <>
      <ScreenHeading title={<BreakableName name={`Connect ${name}`} />} subtitle={server.displayDescription} />
      <WhoIsSignedIn user={user} onSignOut={onSignOut} />
      {!entitled && <NotInPlan serverId={serverId} name={name} />}
      {entitled && !connection && <NoSignIn name={name} />}
      {connection && (entitled || connection.since !== null) && (
        <UpstreamConnectionCard userId={user.id} connection={connection} entitled={entitled} />
      )}
      {entitled && <ServerSwitch userId={user.id} serverId={serverId} name={name} enabled={enabled} />}
    </>
  );
}

/** No switch: it would change nothing. What the service offers and costs is on its own page. */
function NotInPlan({ serverId, name }: { serverId: string; name: string }) {
  return (
    <Card as="section" className="flex flex-col items-start gap-4">
      <div>
        <h2 className="font-semibold">Not in your plan</h2>
        <p className="mt-1 text-quiet">{name} is not part of your plan, so its tools are not in your link.</p>
      </div>
      <LinkButton to="/service/$serviceId" params={{ serviceId: serverId }}>
        See the service
      </LinkButton>
    </Card>
  );
}

function NoSignIn({ name }: { name: string }) {
  return (
    <Card as="section">
      <h2 className="font-semibold">No sign-in needed</h2>
      <p className="mt-1 text-quiet">{name} works as soon as it is switched on.</p>
    </Card>
  );
}

/** The account is shown first: whoever follows somebody's link must see whose connection this will be. */
function WhoIsSignedIn({ user, onSignOut }: { user: ConnectUser; onSignOut: () => Promise<void> }) {
  return (
    <Card as="section" className="flex flex-wrap items-center justify-between gap-3" aria-label="Your account">
      <p className="min-w-0 wrap-anywhere">
        This will be the connection of <strong className="font-semibold">{user.displayName || user.email}</strong>
        {user.displayName && <span className="text-quiet"> ({user.email})</span>}
      </p>
      <Button size="small" onClick={() => void onSignOut()}>
        Not you?
      </Button>
    </Card>
  );
}

/** The screen while there is no service whose name could be its heading. */
function WithoutService({ children }: { children?: ReactNode }) {
  return (
    <>
      <h1 className="sr-only">Connect a service</h1>
      {children}
    </>
  );
}

function ConnectSkeleton() {
  return (
    <DelayedFallback label="Loading your connection…">
      <WithoutService />
      <Skeleton className="h-8 w-56" />
      <Skeleton className="mt-2 h-5 w-80 max-w-full" />
      <Skeleton className="mt-6 h-16 w-full" />
      <Skeleton className="mt-4 h-40 w-full" />
    </DelayedFallback>
  );
}
