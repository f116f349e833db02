import type { System } from '@souk/contract/admin/system.ts';
import { Ago } from '#ui/text/moment.tsx';
import { Table, type TableColumn } from '#ui/table.tsx';
import { Section } from '../section.tsx';

type Job = System['jobs'][number];

const columns: readonly TableColumn<Job>[] = [
  {
    id: 'name',
    header: 'Job',
    rowHeader: true,
    cell: ({ name, everySeconds }) => (
      <span className="flex flex-col">
        {name}
        <span className="text-[0.8125rem] font-normal text-quiet">every {periodOf(everySeconds)}</span>
      </span>
    ),
  },
  {
    id: 'last',
    header: 'Last run',
    cell: ({ lastRunAt, isRunning }) =>
      isRunning ? 'Running' : lastRunAt === null ? 'Not yet' : <Ago moment={lastRunAt} />,
  },
  {
    id: 'next',
    header: 'Next run',
    wideOnly: true,
    cell: ({ nextRunAt }) => (nextRunAt === null ? 'Not planned' : <Ago moment={nextRunAt} />),
  },
  {
    id: 'failure',
    header: 'Last failure',
    cell: ({ lastFailure }) =>
      lastFailure === null ? (
        <span className="text-quiet">None</span>
      ) : (
        <span className="flex max-w-80 flex-col wrap-anywhere">
          <Ago moment={lastFailure.at} />
          <span className="text-[0.8125rem] text-quiet">{lastFailure.message}</span>
        </span>
      ),
  },
];

/** Scheduled jobs, which one of the brokers runs. */
export function JobsTable({ jobs }: { jobs: readonly Job[] }) {
  return (
    <Section id="system-jobs" title="Jobs" text="Failures are kept for a week.">
      <Table caption="Scheduled jobs" columns={columns} rows={jobs} rowKey={({ name }) => name} />
    </Section>
  );
}

function periodOf(seconds: number): string {
  const [count, unit] =
    seconds % 86_400 === 0
      ? [seconds / 86_400, 'day']
      : seconds % 3600 === 0
        ? [seconds / 3600, 'hour']
        : [Math.round(seconds / 60), 'minute'];
  return count === 1 ? unit : `${count} ${unit}s`;
}
