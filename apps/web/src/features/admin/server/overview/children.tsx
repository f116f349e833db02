import type { ServerFigures } from '@souk/contract/admin/servers.ts';
import { Ago } from '#ui/text/moment.tsx';
import { EmptyState } from '#ui/state/empty-state.tsx';
import { Table, type TableColumn } from '#ui/table.tsx';
import { Section } from '../../section.tsx';

type Child = NonNullable<ServerFigures['now']>['children'][number];

const uses: Readonly<Record<Child['use'], string>> = {
  shared: 'Everyone',
  person: 'One person',
  test: 'A connection test',
};

const columns: readonly TableColumn<Child>[] = [
  { id: 'use', header: 'Used by', rowHeader: true, cell: ({ use }) => uses[use] },
  { id: 'pid', header: 'Process', numeric: true, cell: ({ pid }) => pid ?? 'Starting' },
  {
    id: 'age',
    header: 'Started',
    cell: ({ startedAt }) => (startedAt === null ? 'Not known' : <Ago moment={startedAt} />),
  },
  {
    id: 'memory',
    header: 'Memory',
    numeric: true,
    cell: ({ memoryBytes }) => (memoryBytes === null ? 'Not known' : `${Math.round(memoryBytes / 2 ** 20)} MB`),
  },
];

export function Children({ items }: { items: readonly Child[] }) {
  return (
    <Section
      id="server-children"
      title="Processes"
      text="Processes on the broker that answered this page. The first call starts one; it ends when it is idle."
    >
      {items.length === 0 ? (
        <EmptyState title="No process is running" text="The next call starts one." />
      ) : (
        <Table
          caption="Running processes"
          columns={columns}
          rows={items}
          rowKey={({ pid, startedAt, use }) => `${pid} ${startedAt} ${use}`}
        />
      )}
    </Section>
  );
}
