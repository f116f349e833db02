import type { ListedManifest } from '@souk/contract/admin/manifests.ts';
import { Link } from '@tanstack/react-router';
import { counted, formatCount } from '#ui/text/amount.ts';
import { Badge } from '#ui/state/badge.tsx';
import { classNames } from '#ui/class-names.ts';
import { StatusBadge } from '#ui/state/status-badge.tsx';
import { toolFigure } from '#web/texts/tools-that-ask.ts';
import type { AdminSearch } from '../admin-search.ts';
import { isAwaitingFirstAnswer } from './manifest-queries.ts';

// Parts of a manifest, for the rows of the table and the cards of narrow screens.

const types = { http: 'HTTP', websocket: 'WebSocket', stdio: 'STDIO' } as const;

/** The name, as a link to the server's page. `search` is kept for the way back. */
export function ManifestName({ manifest, search }: { manifest: ListedManifest; search: AdminSearch }) {
  return (
    <Link
      dir="auto"
      to="/admin"
      search={{ ...search, tab: 'manifests', id: manifest.id }}
      className="rounded-sm py-1 font-semibold wrap-anywhere text-text no-underline hover:text-accent hover:underline"
    >
      {manifest.name}
    </Link>
  );
}

/** @param inline shows the address beside its type, on one line */
export function Connection({
  manifest: { connection },
  inline = false,
}: {
  manifest: ListedManifest;
  inline?: boolean;
}) {
  const target = connection.url ?? connection.command ?? '';
  return (
    <div className={classNames('flex min-w-0 gap-x-2 gap-y-1', inline ? 'items-baseline' : 'flex-col items-start')}>
      <Badge>{types[connection.type]}</Badge>
      <span className="line-clamp-3 min-w-0 font-mono text-xs break-all text-quiet" title={target}>
        {target}
      </span>
    </div>
  );
}

export function Capabilities({ manifest }: { manifest: ListedManifest }) {
  const { tools, prompts, resources } = manifest.capabilities;
  const offered = [
    { name: 'Tools', count: tools, figure: toolFigure(manifest) },
    { name: 'Prompts', count: prompts, figure: formatCount(prompts) },
    { name: 'Resources', count: resources, figure: formatCount(resources) },
  ].filter(({ count }) => count > 0);
  if (offered.length === 0)
    return <span className="text-[0.8125rem] text-quiet">{manifest.isActive ? 'Nothing listed' : 'Not deployed'}</span>;
  return (
    <span className="flex flex-wrap gap-1">
      {offered.map(({ name, figure }) => (
        <Badge key={name}>
          {name} <span className="font-normal tabular-nums">{figure}</span>
        </Badge>
      ))}
    </span>
  );
}

export const removedTexts = {
  deleted: 'Deleted',
  undeployed: 'Undeployed',
  unknown: 'Deleted or undeployed',
} as const;

/** Whether it is deployed, and what waits for a decision. The badge is neutral, since a deployed server may be down. */
export function Deployed({ manifest }: { manifest: ListedManifest }) {
  const { isActive, stagedVersion, stagedOrigin, toolsUnderReview, renters } = manifest;
  return (
    <div className="flex min-w-0 flex-col items-start gap-1">
      <Badge>{isActive ? 'Active' : 'Inactive'}</Badge>
      {isGone(manifest) && <span className="text-xs text-quiet">{removedTexts[manifest.gone ?? 'unknown']}</span>}
      {stagedVersion !== null && (
        <span className="text-xs wrap-anywhere text-accent">
          {stagedVersion} staged{stagedOrigin === 'bundled' && ' (bundled draft)'}
        </span>
      )}
      {toolsUnderReview > 0 && (
        <span className="text-xs text-accent">
          {counted(toolsUnderReview, 'tool under review', 'tools under review')}
        </span>
      )}
      {renters > 0 && <span className="text-xs text-quiet">{counted(renters, 'renter')}</span>}
    </div>
  );
}

/** Status of the deployed server at the last check. */
export function Health({ manifest }: { manifest: ListedManifest }) {
  const { status, statusDetail } = manifest;
  if (status === null) {
    return (
      <span className="text-quiet">
        <span aria-hidden>–</span>
        <span className="sr-only">Not deployed</span>
      </span>
    );
  }
  return (
    <div className="flex min-w-0 flex-col items-start gap-1">
      <StatusBadge status={status} quiet>
        {isAwaitingFirstAnswer(manifest) ? 'Connecting…' : healthWords[status]}
      </StatusBadge>
      {status !== 'connected' && statusDetail !== undefined && (
        <span
          className={classNames('line-clamp-2 text-xs wrap-anywhere', status === 'error' ? 'text-bad' : 'text-quiet')}
          title={statusDetail}
        >
          {statusDetail}
        </span>
      )}
    </div>
  );
}

const healthWords = { connected: 'Connected', disconnected: 'Disconnected', error: 'Error' } as const;

export const isGone = ({ isActive, stagedVersion }: ListedManifest) => !isActive && stagedVersion === null;

export const authorOf = ({ author }: ListedManifest) => author ?? 'Unknown';
