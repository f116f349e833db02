import type { ServerAnswer } from '@souk/contract/catalogue.ts';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useRouter } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { AccountForTools, AccountNeeded } from '#features/catalogue/account-needed.tsx';
import { NotIncluded } from '#features/catalogue/not-included.tsx';
import { ServiceScreen } from '#features/catalogue/service-screen.tsx';
import { ConnectPanel } from '#features/gateway/connect-panel.tsx';
import { SignInButton } from '#features/identity/header-account.tsx';
import { useSession } from '#features/identity/session-provider.tsx';
import { serverAccessQuery } from '#features/upstreams/upstreams-api.ts';
import { Skeleton } from '#ui/skeleton.tsx';
import { LinkButton } from '#ui/link-button.tsx';
import { isFree, rentalPrice } from './access-text.ts';
import { sells } from './config.ts';
import { serverQuery } from './server-query.ts';

/** Of signed-in people alone, so that a visitor does not load it. */
const ServiceUse = lazy(async () => ({
  default: (await import('#features/upstreams/service-use.tsx')).ServiceUse,
}));

const GetAccess = lazy(async () => ({
  default: (await import('#features/billing/rent/get-access.tsx')).GetAccess,
}));

const AccessNote = lazy(async () => ({
  default: (await import('#features/billing/rent/access-note.tsx')).AccessNote,
}));

const AccountTools = lazy(async () => ({
  default: (await import('#features/upstreams/account-tools.tsx')).AccountTools,
}));

const TryTool = lazy(async () => ({ default: (await import('./try-tool.tsx')).MemberTryTool }));

/** Of the address: what a person wants to buy, and the tool that they want to try. */
export type ServiceSearch = { purchase?: string; try?: string };

export type ServiceProps = { serviceId: string; search: ServiceSearch };

/** /service/{serviceId}, with what this person can do with the service. */
export function Service({ serviceId, search }: ServiceProps) {
  const { user, isRestoring } = useSession();
  const router = useRouter();
  const { data: found } = useQuery({ ...serverQuery(serviceId), enabled: serviceId !== '' });
  const { data: own } = useQuery({
    ...serverAccessQuery(user?.id ?? '', serviceId),
    enabled: user !== undefined && found !== undefined,
  });
  // what a person has just got stays where they got it
  const [wasOwned, setWasOwned] = useState<boolean>();
  if (wasOwned === undefined && own) setWasOwned(own.entitled);
  return (
    <ServiceScreen
      serviceId={serviceId}
      wasOwned={wasOwned === true}
      triedTool={search.try}
      access={(server) => {
        if (isRestoring) return <AccessSkeleton />;
        return user ? (
          <MemberAccess server={server} userId={user.id} purchase={search.purchase} />
        ) : (
          <VisitorAccess server={server} />
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

function MemberAccess({
  server,
  userId,
  purchase,
}: {
  server: ServerAnswer;
  userId: string;
  purchase: string | undefined;
}) {
  const navigate = useNavigate();
  const service = { id: server.serverId, name: server.displayName };
  // an answered question does not come back with a reload
  const forget = () =>
    void navigate({ to: '/service/$serviceId', params: { serviceId: service.id }, replace: true, resetScroll: false });
  return (
    <Suspense fallback={<AccessSkeleton />}>
      <ServiceUse
        userId={userId}
        service={service}
        notIncluded={<GetAccess userId={userId} server={server} asked={purchase} onAnswered={forget} />}
        accessNote={
          !isFree(server) && <AccessNote userId={userId} server={server} asked={purchase} onAnswered={forget} />
        }
        connectPanel={<ConnectPanel service={service} userId={userId} />}
      />
    </Suspense>
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

/** The way to the purchase leads through the sign-in. */
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

function AccessSkeleton() {
  return <Skeleton className="h-64 w-full rounded-lg" />;
}
