import { useState } from 'react';
import { formatCount } from '#ui/amount.ts';
import { Badge } from '#ui/badge.tsx';
import { Button } from '#ui/button.tsx';
import { Ago } from '#ui/moment.tsx';
import { SectionHeading } from '#ui/section-heading.tsx';
import { Table, type TableColumn } from '#ui/table.tsx';
import { stagerOf, type ManifestVersion, type ShownManifest } from '../server-queries.ts';

const shownAtFirst = 20;

/** Every version that is kept: who staged it, when and why, and when it was live. */
export function VersionList({
  shown: { versions, listed },
  onDeploy,
  onCompare,
}: {
  shown: ShownManifest;
  /** An earlier version rolls back, the staged one is deployed. */
  onDeploy: (version: string | undefined) => void;
  onCompare: (version: string) => void;
}) {
  const [all, setAll] = useState(false);
  const rows = all ? versions : versions.slice(0, shownAtFirst);
  const columns: readonly TableColumn<ManifestVersion>[] = [
    {
      id: 'version',
      header: 'Version',
      rowHeader: true,
      cell: ({ version, status }) => (
        <span className="flex flex-wrap items-center gap-2 wrap-anywhere">
          {version}
          {status === 'deployed' && <Badge tone="good">Deployed</Badge>}
          {status === 'staging' && <Badge tone="accent">Staged</Badge>}
        </span>
      ),
    },
    {
      id: 'staged',
      header: 'Staged',
      cell: ({ createdAt, reason, ...version }) => (
        <div className="max-w-80 min-w-40">
          <Ago moment={createdAt} /> <span className="wrap-anywhere">by {stagerOf(version)}</span>
          {reason !== null && (
            <p dir="auto" className="text-[0.8125rem] wrap-anywhere text-quiet">
              {reason}
            </p>
          )}
        </div>
      ),
    },
    {
      id: 'deployed',
      header: 'Deployed',
      cell: ({ deployedAt }) =>
        deployedAt === null ? <span className="text-quiet">Never</span> : <Ago moment={deployedAt} />,
    },
    {
      id: 'actions',
      header: 'Actions',
      hideHeader: true,
      cell: ({ version, status, deployedAt }) => (
        <span className="flex justify-end gap-2">
          {status !== 'deployed' && (
            <>
              <Button size="small" variant="ghost" onClick={() => onCompare(version)}>
                Compare<span className="sr-only"> {version}</span>
              </Button>
              <Button size="small" onClick={() => onDeploy(status === 'staging' ? undefined : version)}>
                {status === 'superseded' && deployedAt !== null && listed?.isActive ? 'Roll back to ' : 'Deploy '}
                {version}
              </Button>
            </>
          )}
        </span>
      ),
    },
  ];
  return (
    <section aria-labelledby="server-versions" className="flex flex-col gap-4">
      <SectionHeading
        id="server-versions"
        title="Versions"
        text="Every version is kept. Rolling back deploys an earlier one."
      />
      <Table caption="All versions" columns={columns} rows={rows} rowKey={({ version }) => version} />
      {versions.length > rows.length && (
        <Button size="small" variant="ghost" className="self-start" onClick={() => setAll(true)}>
          Show {formatCount(versions.length - rows.length)} more
        </Button>
      )}
    </section>
  );
}
