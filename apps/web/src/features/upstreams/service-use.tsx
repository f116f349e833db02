import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ErrorState } from '#ui/state/error-state.tsx';
import { failureText } from '#web/texts/failure-text.ts';
import { KeptFiles } from './files/kept-files.tsx';
import { ServerSwitch } from './server-switch.tsx';
import { UpstreamAccountCard } from './upstream-account-card.tsx';
import { serverAccessQuery, upstreamConnectionsQuery } from './upstreams-api.ts';

export type ServiceUseProps = {
  userId: string;
  service: { id: string; name: string };
  isDown: boolean;
  /** Shown while the access loads. */
  pending: ReactNode;
  notIncluded: ReactNode;
  /** Shown for a service that is not free for everyone. */
  accessNote: ReactNode;
  /** Shown once the service is switched on. */
  connectPanel: ReactNode;
};

/** The controls of a service on its page: connect an account there, switch it on, connect a client. */
export function ServiceUse({
  userId,
  service,
  isDown,
  pending,
  notIncluded,
  accessNote,
  connectPanel,
}: ServiceUseProps) {
  const access = useQuery(serverAccessQuery(userId, service.id));
  const connections = useQuery(upstreamConnectionsQuery(userId));
  const failed = [access, connections].find(({ isError }) => isError);
  if (failed) {
    return (
      <ErrorState
        title="Failed to load your access to this service"
        text={failureText(failed.error)}
        retrying={failed.isFetching}
        onRetry={() => void Promise.all([access.refetch(), connections.refetch()])}
      />
    );
  }
  if (!access.data || !connections.data) return pending;
  const { entitled, enabled, files } = access.data;
  const keptFiles = files && <KeptFiles userId={userId} files={files} />;
  if (!entitled) {
    return (
      <div className="flex flex-col gap-4">
        {notIncluded}
        {keptFiles}
      </div>
    );
  }
  const connection = connections.data.connections.find(({ serverId }) => serverId === service.id);
  return (
    <div className="flex flex-col gap-4">
      {accessNote}
      {connection && <UpstreamAccountCard userId={userId} connection={connection} entitled />}
      <ServerSwitch
        userId={userId}
        serverId={service.id}
        name={service.name}
        isDown={isDown}
        enabled={enabled}
        account={connection}
      />
      {enabled && connectPanel}
      {keptFiles}
    </div>
  );
}
