import type { ListedManifest } from '@souk/contract/admin-manifests.ts';
import { Card } from '#ui/card.tsx';
import { Table, type TableColumn } from '#ui/table.tsx';
import { ManifestActions, type ManifestActionsProps } from './manifest-actions.tsx';
import { authorOf, Capabilities, Connection, Deployed, Health, ManifestName } from './manifest-cells.tsx';

export type ManifestListProps = Omit<ManifestActionsProps, 'manifest'> & { manifests: readonly ListedManifest[] };

/** The manifests as rows, for screens that are wide enough for them. */
export function ManifestTable({ manifests, ...actions }: ManifestListProps) {
  const columns: TableColumn<ListedManifest>[] = [
    {
      id: 'name',
      header: 'Name',
      rowHeader: true,
      cell: (manifest) => (
        <div className="w-52 font-normal">
          <ManifestName manifest={manifest} search={actions.search} />{' '}
          <span className="text-quiet tabular-nums">{manifest.version}</span>
          <p
            dir="auto"
            className="mt-0.5 line-clamp-2 text-[0.8125rem] wrap-anywhere text-quiet"
            title={manifest.description}
          >
            {manifest.description}
          </p>
        </div>
      ),
    },
    {
      id: 'author',
      header: 'Author',
      cell: (manifest) => <div className="w-22 wrap-anywhere">{authorOf(manifest)}</div>,
    },
    {
      id: 'address',
      header: 'Address',
      cell: (manifest) => (
        <div className="w-40">
          <Connection manifest={manifest} />
        </div>
      ),
    },
    {
      id: 'capabilities',
      header: 'Capabilities',
      cell: (manifest) => (
        <div className="w-24">
          <Capabilities manifest={manifest} />
        </div>
      ),
    },
    {
      id: 'deployed',
      header: 'Deployed',
      cell: (manifest) => (
        <div className="w-28">
          <Deployed manifest={manifest} />
        </div>
      ),
    },
    {
      id: 'connection',
      header: 'Connection',
      cell: (manifest) => (
        <div className="w-28">
          <Health manifest={manifest} />
        </div>
      ),
    },
    {
      id: 'actions',
      header: 'Actions',
      hideHeader: true,
      numeric: true,
      cell: (manifest) => <ManifestActions manifest={manifest} {...actions} />,
    },
  ];
  return <Table caption="Manifests" columns={columns} rows={manifests} rowKey={({ id }) => id} />;
}

/** The same as cards. */
export function ManifestCards({ manifests, ...actions }: ManifestListProps) {
  return (
    <ul aria-label="Manifests" className="grid gap-3 md:grid-cols-2">
      {manifests.map((manifest) => (
        <Card as="li" key={manifest.id} className="flex flex-col gap-3">
          <div className="flex items-start justify-between gap-3">
            <div className="min-w-0">
              <h3>
                <ManifestName manifest={manifest} search={actions.search} />{' '}
                <span className="font-normal text-quiet tabular-nums">{manifest.version}</span>
              </h3>
              <p className="text-[0.8125rem] wrap-anywhere text-quiet">{authorOf(manifest)}</p>
            </div>
            <ManifestActions manifest={manifest} {...actions} />
          </div>
          <p dir="auto" className="line-clamp-3 wrap-anywhere text-quiet">
            {manifest.description}
          </p>
          <div className="flex flex-wrap items-start gap-x-4 gap-y-1">
            <Deployed manifest={manifest} />
            {manifest.status !== null && <Health manifest={manifest} />}
          </div>
          <Connection manifest={manifest} />
          <div className="mt-auto">
            <Capabilities manifest={manifest} />
          </div>
        </Card>
      ))}
    </ul>
  );
}
