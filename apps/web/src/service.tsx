import type { ServerAnswer } from '@souk/contract/catalogue.ts';
import { lazy, Suspense } from 'react';
import { AccountForTools, AccountNeeded } from '#features/catalogue/account-needed.tsx';
import { NotIncluded } from '#features/catalogue/not-included.tsx';
import { ServiceScreen } from '#features/catalogue/service-screen.tsx';
import { ConnectPanel } from '#features/gateway/connect-panel.tsx';
import { SignInButton } from '#features/identity/header-account.tsx';
import { useSession } from '#features/identity/session-provider.tsx';
import { Skeleton } from '#ui/skeleton.tsx';
import { isFree } from './access-text.ts';

/** Of signed-in people alone, so that a visitor does not load it. */
const ServiceUse = lazy(async () => ({
  default: (await import('#features/upstreams/service-use.tsx')).ServiceUse,
}));

const AccountTools = lazy(async () => ({
  default: (await import('#features/upstreams/account-tools.tsx')).AccountTools,
}));

/** /service/{serviceId}, with what this person can do with the service. */
export function Service({ serviceId }: { serviceId: string }) {
  const { user, isRestoring } = useSession();
  return (
    <ServiceScreen
      serviceId={serviceId}
      access={(server) => {
        if (isRestoring) return <AccessSkeleton />;
        return user ? <MemberAccess server={server} userId={user.id} /> : <VisitorAccess server={server} />;
      }}
      toolsOfAccount={(server) => {
        const notConnected = <AccountForTools server={server} />;
        if (!user) return notConnected;
        return (
          <Suspense fallback={<Skeleton className="h-32 w-full rounded-lg" />}>
            <AccountTools userId={user.id} server={server} notConnected={notConnected} />
          </Suspense>
        );
      }}
    />
  );
}

function MemberAccess({ server, userId }: { server: ServerAnswer; userId: string }) {
  const service = { id: server.serverId, name: server.displayName };
  return (
    <Suspense fallback={<AccessSkeleton />}>
      <ServiceUse
        userId={userId}
        service={service}
        notIncluded={<NotIncluded server={server} />}
        connectPanel={<ConnectPanel service={service} userId={userId} />}
      />
    </Suspense>
  );
}

function VisitorAccess({ server }: { server: ServerAnswer }) {
  if (!isFree(server)) return <NotIncluded server={server} signIn={<SignInButton />} />;
  return (
    <div className="flex flex-col gap-4">
      {server.requires === 'sign_in' && <AccountNeeded name={server.displayName} signIn={<SignInButton />} />}
      <ConnectPanel service={{ id: server.serverId, name: server.displayName }} />
    </div>
  );
}

function AccessSkeleton() {
  return <Skeleton className="h-64 w-full rounded-lg" />;
}
