import type { ServerAnswer } from '@souk/contract/catalogue/catalogue.ts';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { rentalOptionsQuery, subscriptionQuery } from '#features/billing/queries.ts';
import { AccessNote } from '#features/billing/rent/access-note.tsx';
import { GetAccess } from '#features/billing/rent/get-access.tsx';
import { ConnectPanel } from '#features/gateway/connect-panel.tsx';
import { ServiceUse } from '#features/upstreams/service-use.tsx';
import { AccessSkeleton } from './access-skeleton.tsx';
import { isFree } from '../texts/access-text.ts';

export type MemberAccessProps = {
  server: ServerAnswer;
  userId: string;
  /** `purchase` of the address. */
  purchase: string | undefined;
};

/** The controls of a service for a signed-in user. Loaded when the page is opened. */
export function MemberAccess({ server, userId, purchase }: MemberAccessProps) {
  const navigate = useNavigate();
  const service = { id: server.serverId, name: server.displayName };
  const isSold = !isFree(server);
  // both are awaited, since each would move the other when it appears
  const options = useQuery({ ...rentalOptionsQuery(userId, service.id), enabled: isSold });
  const owned = useQuery({ ...subscriptionQuery(userId), enabled: isSold });
  if (options.isLoading || owned.isLoading) return <AccessSkeleton server={server} />;
  // removes `purchase` from the address, so that a reload does not open the dialog again
  const forget = () =>
    void navigate({ to: '/service/$serviceId', params: { serviceId: service.id }, replace: true, resetScroll: false });
  return (
    <ServiceUse
      userId={userId}
      service={service}
      isDown={server.downSince !== undefined}
      pending={<AccessSkeleton server={server} />}
      notIncluded={<GetAccess userId={userId} server={server} asked={purchase} onAnswered={forget} />}
      accessNote={isSold && <AccessNote userId={userId} server={server} asked={purchase} onAnswered={forget} />}
      connectPanel={<ConnectPanel service={service} userId={userId} isFolded />}
    />
  );
}
