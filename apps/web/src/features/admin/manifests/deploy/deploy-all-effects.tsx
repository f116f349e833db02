import { Fragment } from 'react';
import { counted, formatCount } from '#ui/text/amount.ts';
import { Notice } from '#ui/state/notice.tsx';
import { TextLink } from '#ui/text/text-link.tsx';
import { ItemsWithCode } from '../../text-with-code.tsx';
import { audience } from './deploy-effects.tsx';
import { MissingSecrets } from './missing-secrets.tsx';
import type { DeployAllPreview } from '../manifest-queries.ts';

type Previewed = DeployAllPreview['manifests'][number];

/** The effects of deploy-all: first those of all manifests together, then of each of the first manifests. */
export function DeployAllEffects({ preview, onLeave }: { preview: DeployAllPreview; onLeave: () => void }) {
  const { manifests, total } = preview;
  const more = total - manifests.length;
  const known = [...reviews(preview), ...rentals(preview)];
  return (
    <>
      {known.length > 0 && (
        <ul aria-label="Combined effects" className="mt-3 list-disc pl-5 text-text">
          {known.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
      <MissingOfAll preview={preview} onLeave={onLeave} />
      <ul
        aria-label="Manifests to deploy"
        tabIndex={0}
        className="mt-3 max-h-80 divide-y divide-line overflow-y-auto rounded-md border border-line px-3 text-text"
      >
        {manifests.map((manifest) => (
          <Effects key={manifest.id} manifest={manifest} onLeave={onLeave} />
        ))}
        {more > 0 && <li className="py-2 text-quiet">and {formatCount(more)} more</li>}
      </ul>
    </>
  );
}

function Effects({ manifest, onLeave }: { manifest: Previewed; onLeave: () => void }) {
  const { id, name, from, to, changedFields, changes, effects, people, missingSecrets } = manifest;
  const more = changedFields - changes.length;
  return (
    <li className="py-2">
      <div className="flex justify-between gap-4">
        <span dir="auto" className="min-w-0 font-medium wrap-anywhere">
          {name}
        </span>
        <span className="shrink-0 text-quiet tabular-nums">{from === null ? to : `${from} -> ${to}`}</span>
      </div>
      {from !== null && <p className="text-[0.8125rem] text-quiet">{audience(people)}</p>}
      {effects.length > 0 && (
        <ul className="mt-1 list-disc pl-5 text-[0.8125rem] wrap-anywhere">
          <ItemsWithCode texts={effects} />
        </ul>
      )}
      <div className="mt-1.5 empty:hidden">
        <MissingSecrets id={id} count={missingSecrets} onLeave={onLeave} />
      </div>
      {changes.length > 0 && (
        <details className="mt-1 text-[0.8125rem]">
          <summary className="cursor-pointer py-1 text-quiet">
            {counted(changedFields, 'field changes', 'fields change')}
          </summary>
          <ul className="mt-1 list-disc pl-5 wrap-anywhere">
            <ItemsWithCode texts={changes} />
            {more > 0 && <li className="text-quiet">and {formatCount(more)} more</li>}
          </ul>
        </details>
      )}
    </li>
  );
}

/** Servers that won't answer after the deployment. A single one is only mentioned in its row. */
function MissingOfAll({ preview, onLeave }: { preview: DeployAllPreview; onLeave: () => void }) {
  const { serversMissingSecrets: servers, missingSecrets } = preview;
  if (servers < 2 && missingSecrets.every(({ id }) => preview.manifests.some((one) => one.id === id))) return null;
  const more = servers - missingSecrets.length;
  return (
    <div className="mt-3">
      <Notice>
        {counted(servers, 'server lacks', 'servers lack')} secrets and won’t answer until you enter them:{' '}
        {missingSecrets.map(({ id, name, count }, index) => (
          <Fragment key={id}>
            {index > 0 && ', '}
            <TextLink dir="auto" to="/admin" search={{ tab: 'manifests', id, part: 'secrets' }} onClick={onLeave}>
              {name}
            </TextLink>
            {count > 1 && ` (${formatCount(count)})`}
          </Fragment>
        ))}
        {more > 0 && ` and ${formatCount(more)} more`}.
      </Notice>
    </div>
  );
}

/** Returns what happens to tools under review or kept hidden: a new version trusts the tools it finds. */
function reviews(preview: DeployAllPreview): string[] {
  const hidden = [
    ['under review', preview.toolsUnderReview, preview.serversUnderReview],
    ['kept hidden', preview.toolsKeptHidden, preview.serversKeptHidden],
  ] as const;
  return hidden.flatMap(([how, tools, servers]) => {
    if (tools === 0) return [];
    return [
      `${counted(tools, 'tool is', 'tools are')} ${how}, at ${counted(servers, 'server')}: a new version trusts all tools as the server offers them then, including these.`,
    ];
  });
}

function rentals({ renters, rentedServers }: DeployAllPreview): string[] {
  if (renters === 0) return [];
  return [`${counted(renters, 'rental is', 'rentals are')} active, at ${counted(rentedServers, 'server')}.`];
}
