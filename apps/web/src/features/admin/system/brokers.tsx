import type { System } from '@souk/contract/admin/system.ts';
import { Ago } from '#ui/text/moment.tsx';
import { StatusBadge } from '#ui/state/status-badge.tsx';
import { Table, type TableColumn } from '#ui/table.tsx';
import { Section } from '../section.tsx';

type Broker = System['brokers'][number];

const columns: readonly TableColumn<Broker>[] = [
  {
    id: 'id',
    header: 'Broker',
    rowHeader: true,
    cell: ({ id, isThis }) => (
      <span className="flex flex-wrap items-baseline gap-x-2">
        <span title={id} className="font-mono text-[0.8125rem]">
          {id.slice(0, 8)}
        </span>
        {isThis && <span className="text-[0.8125rem] font-normal text-quiet">answered this page</span>}
      </span>
    ),
  },
  { id: 'state', header: 'State', cell: (broker) => <State broker={broker} /> },
  { id: 'version', header: 'Version', wideOnly: true, cell: ({ version }) => version ?? 'Not known' },
  {
    id: 'since',
    header: 'Started',
    wideOnly: true,
    cell: ({ since }) => (since === null ? 'Not known' : <Ago moment={since} />),
  },
  {
    id: 'calls',
    header: 'Calls/s',
    numeric: true,
    cell: ({ callsPerSecond }) => (callsPerSecond === null ? '–' : callsPerSecond.toFixed(1)),
  },
  {
    id: 'lag',
    header: <abbr title="Time since its last notification from the database">Lag</abbr>,
    numeric: true,
    cell: ({ lagMs }) => (lagMs === null ? '–' : `${(lagMs / 1000).toFixed(1)} s`),
  },
];

export function Brokers({ brokers }: { brokers: readonly Broker[] }) {
  return (
    <Section id="system-brokers" title="Brokers" text="The processes of the shop that share this database.">
      <Table caption="Brokers on this database" columns={columns} rows={brokers} rowKey={({ id }) => id} />
    </Section>
  );
}

function State({ broker: { state, seenAt } }: { broker: Broker }) {
  if (state === 'alive') return <StatusBadge status="Alive" tone="good" quiet />;
  return (
    <span className="flex flex-wrap items-center gap-x-2">
      <StatusBadge status="Gone" tone="bad" />
      <span className="text-[0.8125rem] text-quiet">
        last heartbeat <Ago moment={seenAt} />
      </span>
    </span>
  );
}
