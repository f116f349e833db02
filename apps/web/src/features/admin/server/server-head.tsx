import { useQuery } from '@tanstack/react-query';
import { Badge } from '#ui/state/badge.tsx';
import { Button } from '#ui/button.tsx';
import { Icon } from '#ui/picture/icon.tsx';
import { LinkButton } from '#ui/link-button.tsx';
import { DayAndTime } from '#ui/text/moment.tsx';
import { StatusBadge } from '#ui/state/status-badge.tsx';
import { serverQuery } from '#web/loading/server-query.ts';
import { removedTexts } from '../manifests/manifest-cells.tsx';
import { isLaterVersion } from '../versions.ts';
import { figuresQuery, versionBefore, type ServerPartProps } from './server-queries.ts';

export function ServerHead({
  userId,
  serverId,
  shown,
  name,
  onDeploy,
  onUndeploy,
  onDelete,
}: ServerPartProps & {
  name: string;
  /** @param version undefined: the staged version, else the one that was live last */
  onDeploy: (version: string | undefined) => void;
  onUndeploy: () => void;
  onDelete: () => void;
}) {
  const { listed } = shown;
  const isDeployed = listed?.isActive === true;
  const { data: inShop } = useQuery({ ...serverQuery(serverId), enabled: isDeployed });
  const before = versionBefore(shown);
  /** The version to deploy if nothing is staged. */
  const last = before ?? shown.versions[0]?.version;
  return (
    <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-4">
      <div className="flex min-w-0 flex-1 basis-80 items-start gap-4">
        <Icon id={serverId} name={name} src={inShop?.server.metadata.icon} size={48} />
        <div className="min-w-0">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <h2 dir="auto" className="text-xl/7 font-semibold tracking-tight wrap-anywhere">
              {name}
            </h2>
            <code className="font-mono text-[0.8125rem] wrap-anywhere text-quiet">{serverId}</code>
          </div>
          <Versions shown={shown} />
          {isDeployed && <Status userId={userId} serverId={serverId} shown={shown} />}
        </div>
      </div>
      {/* wraps in groups, so that the last button is never alone on a line */}
      <div className="flex flex-wrap items-center gap-2">
        <div className="flex flex-wrap gap-2 empty:hidden">
          {isDeployed && (
            <LinkButton to="/service/$serviceId" params={{ serviceId: serverId }}>
              View in the shop
            </LinkButton>
          )}
          {isDeployed && before !== undefined && (
            <Button onClick={() => onDeploy(before)}>
              {isLaterVersion(before, listed.deployedVersion ?? '') ? 'Deploy' : 'Roll back to'} {before}
            </Button>
          )}
        </div>
        <div className="flex flex-wrap gap-2">
          {isDeployed && <Button onClick={onUndeploy}>Undeploy</Button>}
          {listed && <Button onClick={onDelete}>Delete</Button>}
          {listed && listed.stagedVersion !== null ? (
            <Button variant="primary" onClick={() => onDeploy(undefined)}>
              Deploy {listed.stagedVersion}
            </Button>
          ) : (
            !isDeployed &&
            last !== undefined && (
              <Button variant="primary" onClick={() => onDeploy(undefined)}>
                Deploy {last} {before !== undefined && 'again'}
              </Button>
            )
          )}
        </div>
      </div>
    </div>
  );
}

function Versions({ shown: { listed, gone } }: Pick<ServerPartProps, 'shown'>) {
  if (!listed) {
    return (
      <p className="mt-1 text-quiet">
        {removedTexts[gone ?? 'unknown']}. Its versions are kept, and can be deployed again.
      </p>
    );
  }
  const { deployedVersion, stagedVersion } = listed;
  return (
    <p className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1 text-quiet">
      <span>{deployedVersion === null ? 'Not deployed' : `${deployedVersion} is deployed`}</span>
      {stagedVersion !== null && <Badge tone="accent">{stagedVersion} is waiting to be deployed</Badge>}
    </p>
  );
}

function Status({ userId, serverId, shown: { listed } }: ServerPartProps) {
  const { data } = useQuery(figuresQuery(userId, serverId));
  // the manifest is refetched more often, so figures of another status are stale
  const now = data?.now?.status === listed?.status ? data?.now : undefined;
  const status = listed?.status ?? 'disconnected';
  const reason = now?.reason ?? listed?.statusDetail;
  const detail = now?.detail;
  const since = now?.since;
  return (
    <div className="mt-2 flex max-w-prose flex-wrap items-center gap-x-2.5 gap-y-1">
      <StatusBadge status={status} />
      {since && (
        <span className="text-[0.8125rem] text-quiet">
          since <DayAndTime moment={since} />
        </span>
      )}
      {status !== 'connected' && reason && (
        <p className="w-full wrap-anywhere text-quiet">
          {reason}
          {detail && <span className="block text-[0.8125rem] text-faint">{detail}</span>}
        </p>
      )}
    </div>
  );
}
