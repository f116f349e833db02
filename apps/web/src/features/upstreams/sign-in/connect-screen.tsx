import type { ServerAnswer } from '@souk/contract/catalogue/catalogue.ts';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Button } from '#ui/button.tsx';
import { Card } from '#ui/card.tsx';
import { DelayedFallback } from '#ui/state/delayed-fallback.tsx';
import { EmptyState } from '#ui/state/empty-state.tsx';
import { ErrorState } from '#ui/state/error-state.tsx';
import { LinkButton } from '#ui/link-button.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { ScreenHeading } from '#ui/text/screen-heading.tsx';
import { ScreenTitle } from '#ui/text/screen-title.tsx';
import { Skeleton } from '#ui/state/skeleton.tsx';
import { HowToGetAccess } from '#web/own-access/plan-link.tsx';
import { failureText } from '#web/texts/failure-text.ts';
import { SignInFirst } from '#web/navigation/sign-in-first.tsx';
import { isNotDeployed, serverQuery } from '#web/loading/server-query.ts';
import { BreakableName } from '../breakable-name.tsx';
import { serverAccessQuery, upstreamConnectionsQuery } from '../upstreams-api.ts';
import { ServerSwitch } from '../server-switch.tsx';
import { UpstreamAccountCard } from '../upstream-account-card.tsx';

export type ConnectUser = { id: string; email: string; displayName: string };

export type ConnectScreenProps = {
  serverId: string;
  user: ConnectUser | undefined;
  isRestoring: boolean;
  /** Goes to the sign-in at Souk and comes back here. */
  onSignIn: () => Promise<void>;
  /** Signs out here and at the broker, then asks for another account and comes back here. */
  onSwitchAccount: () => void;
};

/** /connect/{serverId}: connects the user to a service. Assistants show links to it when a call needs an account. */
export function ConnectScreen({ serverId, user, isRestoring, onSignIn, onSwitchAccount }: ConnectScreenProps) {
  return (
    <div className="mx-auto flex max-w-lg flex-col gap-4">
      <ScreenTitle title="Connect a service" />
      {isRestoring ? (
        <ConnectSkeleton />
      ) : user ? (
        <Connection serverId={serverId} user={user} onSwitchAccount={onSwitchAccount} />
      ) : (
        <WithoutService>
          <SignInFirst onSignIn={onSignIn} />
        </WithoutService>
      )}
    </div>
  );
}

function Connection({
  serverId,
  user,
  onSwitchAccount,
}: Pick<ConnectScreenProps, 'serverId' | 'onSwitchAccount'> & { user: ConnectUser }) {
  const catalogue = useQuery(serverQuery(serverId));
  const connections = useQuery(upstreamConnectionsQuery(user.id));
  const access = useQuery(serverAccessQuery(user.id, serverId));
  // remembers that the service was off, to distinguish a switch on this page from a service that was already on
  const [hasBeenOff, setHasBeenOff] = useState(false);
  if (access.data?.enabled === false && !hasBeenOff) setHasBeenOff(true);
  // checked before the failures, since the other two calls fail for an unknown service
  if (isNotDeployed(catalogue.error)) {
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
  const failed = [catalogue, connections, access].find(({ isError }) => isError);
  if (failed) {
    return (
      <WithoutService>
        <ErrorState
          title="Failed to load this service"
          text={failureText(failed.error)}
          retrying={failed.isFetching}
          onRetry={() => void Promise.all([catalogue.refetch(), connections.refetch(), access.refetch()])}
        />
      </WithoutService>
    );
  }
  if (!catalogue.data || !connections.data || !access.data) return <ConnectSkeleton />;
  const { server } = catalogue.data;
  const { displayName: name } = server;
  const { entitled, enabled } = access.data;
  const connection = connections.data.connections.find((candidate) => candidate.serverId === serverId);
  const isConnected = enabled && (!connection || connection.state === 'signed-in');
  const nothingToDo = enabled && !connection && !hasBeenOff;
  return (
    <>
      <ScreenHeading title={<BreakableName name={`Connect ${name}`} />} subtitle={server.displayDescription} />
      <WhoIsSignedIn user={user} onSwitchAccount={onSwitchAccount} />
      {!entitled && <NotInPlan server={server} />}
      {entitled && !connection && !nothingToDo && <NoSignIn name={name} />}
      {connection && (entitled || connection.since !== null) && (
        <UpstreamAccountCard userId={user.id} connection={connection} entitled={entitled} />
      )}
      {entitled && (
        <ServerSwitch userId={user.id} serverId={serverId} name={name} enabled={enabled} account={connection} />
      )}
      {isConnected && (
        <Notice tone="good">{nothingToDo ? `${name} is on.` : 'Connected.'} Go back to your assistant.</Notice>
      )}
    </>
  );
}

/** A switch would change nothing here. The service's page shows what it offers and costs. */
function NotInPlan({ server }: { server: ServerAnswer }) {
  return (
    <Card as="section" className="flex flex-col items-start gap-4 sm:p-5">
      <div>
        <h2 className="font-semibold">Not in your plan</h2>
        <p className="mt-1 text-quiet">
          <HowToGetAccess server={server} />
        </p>
      </div>
      <LinkButton to="/service/$serviceId" params={{ serviceId: server.serverId }}>
        See the service
      </LinkButton>
    </Card>
  );
}

function NoSignIn({ name }: { name: string }) {
  return (
    <Card as="section" className="sm:p-5">
      <h2 className="font-semibold">No sign-in needed</h2>
      <p className="mt-1 text-quiet">{name} works as soon as you switch it on.</p>
    </Card>
  );
}

/** Shown first: a user who followed a link must see which account at Souk will be connected. */
function WhoIsSignedIn({ user, onSwitchAccount }: Pick<ConnectScreenProps, 'onSwitchAccount'> & { user: ConnectUser }) {
  return (
    <Card as="section" className="flex flex-wrap items-center justify-between gap-3 sm:p-5" aria-label="Your account">
      <p className="min-w-0 wrap-anywhere">
        Signed in here as <strong className="font-semibold">{user.displayName || user.email}</strong>
        {user.displayName && <span className="text-quiet"> ({user.email})</span>}
      </p>
      <Button size="small" onClick={onSwitchAccount}>
        Use another account
      </Button>
    </Card>
  );
}

/** Adds a heading while the service's name is unknown. */
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
    <DelayedFallback label="Loading the service…">
      <WithoutService />
      <Skeleton className="h-8 w-56" />
      <Skeleton className="mt-2 h-5 w-80 max-w-full" />
      <Skeleton className="mt-6 h-16 w-full" />
      <Skeleton className="mt-4 h-40 w-full" />
    </DelayedFallback>
  );
}
