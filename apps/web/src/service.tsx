import type { ServerAnswer } from '@souk/contract/catalogue/catalogue.ts';
import { useRouter } from '@tanstack/react-router';
import { Suspense } from 'react';
import { AccountForTools, AccountNeeded } from '#features/catalogue/service/account-needed.tsx';
import { NotIncluded } from '#features/catalogue/service/not-included.tsx';
import { ServiceScreen } from '#features/catalogue/service/service-screen.tsx';
import { ConnectPanel } from '#features/gateway/connect-panel.tsx';
import { SignInButton } from '#features/identity/header-account.tsx';
import { useSession } from '#features/identity/session/session-provider.tsx';
import { Skeleton } from '#ui/state/skeleton.tsx';
import { LinkButton } from '#ui/link-button.tsx';
import { lazyPart } from '#ui/lazy-part.ts';
import { AccessSkeleton } from './own-access/access-skeleton.tsx';
import { isFree, rentalPrice } from './texts/access-text.ts';
import { sells } from './config.ts';

/** Loaded for signed-in users only. */
const MemberAccess = lazyPart(() => import('./own-access/member-access.tsx'), 'MemberAccess');

const AccountTools = lazyPart(() => import('#features/upstreams/account-tools.tsx'), 'AccountTools');

const TryTool = lazyPart(() => import('./own-access/try-tool.tsx'), 'MemberTryTool');

/** Parameters of the address: the purchase and the tool that the user has asked for. */
export type ServiceSearch = { purchase?: string; try?: string };

export type ServiceProps = { serviceId: string; search: ServiceSearch };

/** /service/{serviceId} with what this user can do with the service. */
export function Service({ serviceId, search }: ServiceProps) {
  const { user, isRestoring } = useSession();
  const router = useRouter();
  return (
    <ServiceScreen
      serviceId={serviceId}
      isMember={user !== undefined}
      triedTool={search.try}
      access={(server) => {
        if (isRestoring) return <AccessSkeleton server={server} />;
        if (!user) return <VisitorAccess server={server} />;
        return (
          <Suspense fallback={<AccessSkeleton server={server} />}>
            <MemberAccess server={server} userId={user.id} purchase={search.purchase} />
          </Suspense>
        );
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
      tryTool={(server, tool, onClose) =>
        isRestoring ? (
          <TrySkeleton />
        ) : user ? (
          <Suspense fallback={<TrySkeleton />}>
            <TryTool userId={user.id} server={server} tool={tool} onClose={onClose} />
          </Suspense>
        ) : (
          <div className="flex flex-wrap items-center gap-3">
            <SignInButton
              label="Sign in to try it"
              returnTo={
                router.buildLocation({ to: '/service/$serviceId', params: { serviceId }, search: { try: tool.name } })
                  .href
              }
            />
            <span className="text-quiet">Tools run with your account.</span>
          </div>
        )
      }
    />
  );
}

function VisitorAccess({ server }: { server: ServerAnswer }) {
  if (!isFree(server)) return <NotIncluded server={server} actions={<VisitorActions server={server} />} />;
  return (
    <div className="flex flex-col gap-4">
      {server.requires === 'sign_in' && <AccountNeeded name={server.displayName} signIn={<SignInButton />} />}
      <ConnectPanel service={{ id: server.serverId, name: server.displayName }} />
    </div>
  );
}

function VisitorActions({ server }: { server: ServerAnswer }) {
  if (rentalPrice(server, sells) === undefined) return <SignInButton />;
  return (
    <>
      <SignInButton label="Purchase" returnTo={`/service/${server.serverId}?purchase=rental`} />
      <LinkButton to="/plans">See plans</LinkButton>
    </>
  );
}

function TrySkeleton() {
  return <Skeleton className="h-24 w-full rounded-md" />;
}
