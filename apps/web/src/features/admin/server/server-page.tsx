import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { Badge } from '#ui/state/badge.tsx';
import { EachOpening } from '#ui/overlay/each-opening.tsx';
import { EmptyState } from '#ui/state/empty-state.tsx';
import { ScreenTitle } from '#ui/text/screen-title.tsx';
import { Tabs } from '#ui/tabs.tsx';
import type { AdminPartProps } from '../admin-screen.tsx';
import { AskBeforeLeaving } from '../ask-before-leaving.tsx';
import { serverParts, type AdminSearch, type ServerPart } from '../admin-search.ts';
import { BackLink } from '../back-link.tsx';
import { NotLoaded } from '../not-loaded.tsx';
import { isNotFound } from '../refusals.ts';
import { ConnectionTestPart } from './connection-test/connection-test-part.tsx';
import { ChangesPart } from './changes/changes-part.tsx';
import { ManifestPart } from './manifest/manifest-part.tsx';
import { hasUnsavedText } from './manifest/unsaved-text.ts';
import { MoneyPart } from './money/money-part.tsx';
import { OverviewPart } from './overview/overview-part.tsx';
import { SecretsPart } from './secrets/secrets-part.tsx';
import { ServerHead } from './server-head.tsx';
import { secretsQuery, shownManifestQuery, type ShownManifest } from './server-queries.ts';
import { ToolsPart } from './tools/tools-part.tsx';
import { useStatusFollower } from './use-status-follower.ts';

const DeployDialog = lazy(async () => ({
  default: (await import('../manifests/deploy/deploy-dialog.tsx')).DeployDialog,
}));
const UndeployDialog = lazy(async () => ({
  default: (await import('../manifests/deploy/undeploy-dialog.tsx')).UndeployDialog,
}));
const DeleteDialog = lazy(async () => ({
  default: (await import('../manifests/delete/delete-dialog.tsx')).DeleteDialog,
}));

/** An action to confirm. `version` undefined deploys the staged version. */
type AskedAction = { action: 'deploy'; version: string | undefined } | { action: 'undeploy' } | { action: 'delete' };

type ServerPageProps = AdminPartProps & { serverId: string };

export function ServerPage(props: ServerPageProps) {
  const { userId, serverId, search } = props;
  const query = useQuery(shownManifestQuery(userId, serverId));
  return (
    <>
      <BackLink search={listOf(search)}>All manifests</BackLink>
      {query.data ? (
        <Shown {...props} shown={query.data} />
      ) : isNotFound(query.error) ? (
        <EmptyState
          title="There is no such server"
          text={
            <>
              No manifest has the id <code className="font-mono wrap-anywhere">{serverId}</code>.
            </>
          }
        />
      ) : (
        <NotLoaded query={query} label="Loading the server…" />
      )}
    </>
  );
}

/** Returns the address of the list with its filters. */
function listOf({ id: _id, part: _part, from: _from, to: _to, ...list }: AdminSearch): AdminSearch {
  return list;
}

function Shown({
  userId,
  serverId,
  search,
  onSearchChange,
  signInAgain,
  shown,
}: ServerPageProps & { shown: ShownManifest }) {
  const [asked, setAsked] = useState<AskedAction>();
  const [isUnsaved, setIsUnsaved] = useState(() => hasUnsavedText(userId, serverId));
  const [testedText, setTestedText] = useState<string>();
  const name = nameOf(shown, serverId);
  const { data: secrets } = useQuery(secretsQuery(userId, serverId));
  const missing = secrets?.needed.filter(({ state }) => state === 'missing' || state === 'unreadable').length ?? 0;
  const part = serverParts.find((one) => one === search.part) ?? serverParts[0];
  const goTo = (next: ServerPart, versions: Pick<AdminSearch, 'from' | 'to'> = {}) =>
    onSearchChange(
      { ...search, part: next === serverParts[0] ? undefined : next, from: versions.from, to: versions.to },
      'push',
    );
  const of = { userId, serverId, shown };
  useStatusFollower(of);
  const contents: Readonly<Record<ServerPart, () => ReactNode>> = {
    overview: () => <OverviewPart {...of} name={name} />,
    manifest: () => (
      <ManifestPart
        {...of}
        name={name}
        onUnsavedChange={setIsUnsaved}
        onTest={(text) => {
          setTestedText(text);
          goTo('test');
        }}
      />
    ),
    changes: () => (
      <ChangesPart
        {...of}
        from={search.from}
        to={search.to}
        onCompare={(versions) => goTo('changes', versions)}
        onDeploy={(version) => setAsked({ action: 'deploy', version })}
      />
    ),
    tools: () => <ToolsPart {...of} />,
    test: () => <ConnectionTestPart {...of} text={testedText} />,
    secrets: () => <SecretsPart {...of} signInAgain={signInAgain} />,
    money: () => <MoneyPart {...of} />,
  };
  return (
    <>
      <ScreenTitle title={`${name} - Administration`} />
      <ServerHead
        {...of}
        name={name}
        onDeploy={(version) => setAsked({ action: 'deploy', version })}
        onUndeploy={() => setAsked({ action: 'undeploy' })}
        onDelete={() => setAsked({ action: 'delete' })}
      />
      <div className="mt-6">
        <Tabs
          label={`Parts of ${name}`}
          value={part}
          onChange={(next) => goTo(next)}
          items={serverParts.map((value) => ({
            value,
            label: <PartLabel part={value} shown={shown} isUnsaved={isUnsaved} missingSecrets={missing} />,
            content: value === part && contents[value](),
          }))}
        />
      </div>
      {/* switching to another part of this page isn't leaving, since the text stays */}
      <AskBeforeLeaving isUnsaved={isUnsaved} staysAt={({ id }) => id === serverId}>
        Your text of {name} isn&apos;t saved. It stays in this browser tab until you come back, and is lost when you
        close the tab.
      </AskBeforeLeaving>
      <Suspense fallback={null}>
        <EachOpening asked={asked}>
          {(one, open) => {
            const dialog = { userId, id: serverId, open, onClose: () => setAsked(undefined) };
            if (one.action === 'deploy') return <DeployDialog {...dialog} version={one.version} />;
            if (one.action === 'undeploy') return <UndeployDialog {...dialog} />;
            return <DeleteDialog {...dialog} signInAgain={signInAgain} />;
          }}
        </EachOpening>
      </Suspense>
    </>
  );
}

function nameOf({ listed, manifest }: ShownManifest, id: string): string {
  return listed?.name ?? (typeof manifest['name'] === 'string' ? manifest['name'] : id);
}

const labels: Readonly<Record<ServerPart, string>> = {
  overview: 'Overview',
  manifest: 'Manifest',
  changes: 'Changes',
  tools: 'Tools',
  test: 'Connection test',
  secrets: 'Secrets',
  money: 'Money',
};

function PartLabel({
  part,
  shown,
  isUnsaved,
  missingSecrets,
}: {
  part: ServerPart;
  shown: ShownManifest;
  isUnsaved: boolean;
  missingSecrets: number;
}) {
  const { listed } = shown;
  const note =
    part === 'manifest' && isUnsaved
      ? 'unsaved'
      : part === 'changes' && listed?.stagedVersion
        ? 'staged'
        : part === 'tools' && listed && listed.toolsUnderReview > 0
          ? `${listed.toolsUnderReview} to review`
          : part === 'secrets' && missingSecrets > 0
            ? `${missingSecrets} missing`
            : undefined;
  return (
    <span className="inline-flex items-center gap-1.5">
      {labels[part]}
      {note !== undefined && <Badge tone="accent">{note}</Badge>}
    </span>
  );
}
