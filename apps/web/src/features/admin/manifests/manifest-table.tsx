import type { ListedManifest, ManifestOrder, ManifestSort } from '@souk/contract/admin/manifests.ts';
import type { ReactNode } from 'react';
import { Card } from '#ui/card.tsx';
import { Facts } from '#ui/text/facts.tsx';
import { Table, type TableColumn } from '#ui/table.tsx';
import { ManifestActions, type ManifestActionsProps } from './manifest-actions.tsx';
import { authorOf, Capabilities, Connection, Deployed, Health, ManifestName } from './manifest-cells.tsx';

export type ManifestListProps = Omit<ManifestActionsProps, 'manifest'> & { manifests: readonly ListedManifest[] };

/** The manifests as rows, for wide screens. */
export function ManifestTable({
  manifests,
  onSort,
  ...actions
}: ManifestListProps & { onSort: (sort: ManifestSort | undefined) => void }) {
  const { search } = actions;
  const column = (
    order: ManifestOrder,
    header: string,
    width: string,
    draw: (manifest: ListedManifest) => ReactNode,
  ): TableColumn<ListedManifest> => ({
    id: order,
    header,
    sort: {
      order: search.sort === order ? 'ascending' : search.sort === `-${order}` ? 'descending' : undefined,
      onToggle: () => onSort(search.sort === order ? `-${order}` : order),
    },
    cell: (manifest) => <div className={width}>{draw(manifest)}</div>,
  });
  const name = (manifest: ListedManifest) => (
    <>
      <ManifestName manifest={manifest} search={search} />
      <VersionAndAuthor manifest={manifest} />
      <p
        dir="auto"
        className="mt-0.5 line-clamp-2 text-[0.8125rem] wrap-anywhere text-quiet"
        title={manifest.description}
      >
        {manifest.description}
      </p>
    </>
  );
  const columns: TableColumn<ListedManifest>[] = [
    { ...column('name', 'Name', 'w-52 font-normal', name), rowHeader: true },
    column('address', 'Address', 'w-44', (manifest) => <Connection manifest={manifest} />),
    column('tools', 'Capabilities', 'w-36', (manifest) => <Capabilities manifest={manifest} />),
    column('deployed', 'Deployed', 'w-24', (manifest) => <Deployed manifest={manifest} />),
    column('connection', 'Connection', 'w-26', (manifest) => <Health manifest={manifest} />),
    {
      id: 'actions',
      header: 'Actions',
      hideHeader: true,
      numeric: true,
      cell: (manifest) => <ManifestActions manifest={manifest} {...actions} />,
    },
  ];
  return <Table alignTop caption="Manifests" columns={columns} rows={manifests} rowKey={({ id }) => id} />;
}

function VersionAndAuthor({ manifest }: { manifest: ListedManifest }) {
  return (
    <Facts className="text-[0.8125rem] font-normal wrap-anywhere text-quiet tabular-nums">
      {manifest.version}
      {`by ${authorOf(manifest)}`}
    </Facts>
  );
}

/** The manifests as cards, for narrow screens. */
export function ManifestCards({ manifests, ...actions }: ManifestListProps) {
  return (
    <ul aria-label="Manifests" className="grid gap-3 md:grid-cols-2">
      {manifests.map((manifest) => (
        <Card as="li" key={manifest.id} className="flex flex-col gap-2">
          <div>
            <h3>
              <ManifestName manifest={manifest} search={actions.search} />
            </h3>
            <VersionAndAuthor manifest={manifest} />
            <p dir="auto" className="mt-0.5 line-clamp-2 text-[0.8125rem] wrap-anywhere text-quiet">
              {manifest.description}
            </p>
          </div>
          <Connection manifest={manifest} inline />
          <div className="flex flex-wrap items-start gap-x-4 gap-y-1">
            <Deployed manifest={manifest} />
            {manifest.status !== null && <Health manifest={manifest} />}
          </div>
          <Capabilities manifest={manifest} />
          <div className="mt-auto flex border-t border-line pt-2">
            <ManifestActions manifest={manifest} {...actions} />
          </div>
        </Card>
      ))}
    </ul>
  );
}
