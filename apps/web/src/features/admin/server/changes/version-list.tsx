import { Badge } from '#ui/state/badge.tsx';
import { Button } from '#ui/button.tsx';
import { Ago } from '#ui/text/moment.tsx';
import { Table, type TableColumn } from '#ui/table.tsx';
import { Section } from '../../section.tsx';
import { useShowMore } from '../../show-more.tsx';
import { isLaterVersion } from '../../versions.ts';
import { stagerOf, type ManifestVersion, type ShownManifest } from '../server-queries.ts';

const shownAtFirst = 20;

type VersionListProps = {
  shown: ShownManifest;
  /** @param version undefined deploys the staged version; an earlier version rolls back */
  onDeploy: (version: string | undefined) => void;
  onCompare: (version: string) => void;
};

/** All versions of a manifest. On a phone, the facts are below the version. */
export function VersionList({ shown: { versions, listed }, onDeploy, onCompare }: VersionListProps) {
  const { shown, more } = useShowMore(versions, shownAtFirst);
  const actions = (row: ManifestVersion) => (
    <VersionActions row={row} live={listed?.deployedVersion ?? null} onDeploy={onDeploy} onCompare={onCompare} />
  );
  const columns: readonly TableColumn<ManifestVersion>[] = [
    {
      id: 'version',
      header: 'Version',
      rowHeader: true,
      cell: (row) => (
        <>
          <span className="flex flex-wrap items-center gap-2 wrap-anywhere">
            {row.version}
            {row.status === 'deployed' && <Badge tone="good">Deployed</Badge>}
            {row.status === 'staging' && <Badge tone="accent">Staged</Badge>}
          </span>
          <div className="mt-0.5 flex flex-col gap-1 font-normal sm:hidden">
            <div>
              Staged <Staged {...row} />
            </div>
            {row.status !== 'deployed' && (
              <div className="text-quiet">
                {row.deployedAt === null ? (
                  'Never deployed'
                ) : (
                  <>
                    Deployed <Ago moment={row.deployedAt} />
                  </>
                )}
              </div>
            )}
            {actions(row)}
          </div>
        </>
      ),
    },
    {
      id: 'staged',
      header: 'Staged',
      wideOnly: true,
      cell: (row) => (
        <div className="max-w-80 min-w-40">
          <Staged {...row} />
        </div>
      ),
    },
    {
      id: 'deployed',
      header: 'Deployed',
      wideOnly: true,
      cell: ({ deployedAt }) =>
        deployedAt === null ? <span className="text-quiet">Never</span> : <Ago moment={deployedAt} />,
    },
    { id: 'actions', header: 'Actions', hideHeader: true, wideOnly: true, cell: actions },
  ];
  return (
    <Section
      id="server-versions"
      gap="gap-4"
      title="Versions"
      text="Every version is kept. Rolling back deploys an earlier one."
    >
      <Table caption="All versions" columns={columns} rows={shown} rowKey={({ version }) => version} />
      {more}
    </Section>
  );
}

function Staged({ createdAt, reason, ...version }: ManifestVersion) {
  return (
    <>
      <Ago moment={createdAt} /> <span className="wrap-anywhere">by {stagerOf(version)}</span>
      {reason !== null && (
        <p dir="auto" className="text-[0.8125rem] wrap-anywhere text-quiet">
          {reason}
        </p>
      )}
    </>
  );
}

function VersionActions({
  row: { version, status, deployedAt },
  live,
  onDeploy,
  onCompare,
}: Pick<VersionListProps, 'onDeploy' | 'onCompare'> & { row: ManifestVersion; live: string | null }) {
  if (status === 'deployed') return null;
  const isEarlier = live !== null && !isLaterVersion(version, live);
  return (
    <span className="flex flex-wrap gap-2 sm:flex-nowrap sm:justify-end">
      {/* on a phone, aligns the text of the borderless button with the others */}
      <Button size="small" variant="ghost" className="max-sm:-ml-2.5" onClick={() => onCompare(version)}>
        Compare<span className="sr-only"> {version}</span>
      </Button>
      <Button size="small" onClick={() => onDeploy(status === 'staging' ? undefined : version)}>
        {status === 'superseded' && deployedAt !== null && isEarlier ? 'Roll back to ' : 'Deploy '}
        {version}
      </Button>
    </span>
  );
}
